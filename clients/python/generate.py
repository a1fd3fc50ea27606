"""Writes src/tether/v1 anew from the contract in proto/: `python generate.py [FOLDER]`.

`npm run generate` runs it, with the grpcio-tools that tests/requirements.txt names. The validation rules of the contract,
options of `buf.validate`, are left out: the server holds every request against them and says what is wrong with it, and
without them the package needs no protovalidate with an expression engine.
"""

import importlib.resources
import shutil
import sys
import tempfile
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RULES = "buf/validate/"


def generate(folder: Path) -> None:
    """Writes `tether/v1` into the folder: messages, their types, and stubs of the services."""
    proto = ROOT / "proto"
    sources = sorted(file.relative_to(proto).as_posix() for file in proto.rglob("*.proto"))
    with tempfile.TemporaryDirectory() as scratch:
        contract = Path(scratch, "contract.binpb")
        well_known = importlib.resources.files("grpc_tools") / "_proto"
        paths = [f"--proto_path={path}" for path in (proto, ROOT / "proto-rules", well_known)]
        run(*paths, "--include_imports", f"--descriptor_set_out={contract}", *sources)
        described = without_rules(FileDescriptorSet.FromString(contract.read_bytes()))
        contract.write_bytes(described.SerializeToString())
        services = [file.name for file in described.file if file.service]
        run(f"--descriptor_set_in={contract}", f"--python_out={folder}", f"--pyi_out={folder}", *sources)
        run(f"--descriptor_set_in={contract}", f"--grpc_python_out={folder}", *services)


def without_rules(contract: FileDescriptorSet) -> FileDescriptorSet:
    kept = FileDescriptorSet(file=[file for file in contract.file if not file.name.startswith(RULES)])
    for file in kept.file:
        imports = [name for name in file.dependency if not name.startswith(RULES)]
        del file.dependency[:]
        file.dependency.extend(imports)
        # The rules are extensions that nobody here has declared, and so they count as unknown.
        file.DiscardUnknownFields()
    return kept


def run(*arguments: str) -> None:
    if protoc.main(["protoc", *arguments]) != 0:
        sys.exit("protoc failed; what it said stands above")


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "src"
    shutil.rmtree(target / "tether" / "v1", ignore_errors=True)
    generate(target)
