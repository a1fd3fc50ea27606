/**
 * A part of `npm run generate`: writes the generated code of clients/python anew. Where there is no Python it says so and leaves that
 * code as it is.
 */
import { generatePython, installPythonPackages, pythonPackagesInstalled } from './python-packages.ts';

if ((await pythonPackagesInstalled()) === undefined) {
  console.log(
    'clients/python/src/tether/v1 is left as it is: that takes a python3 of 3.10 or newer, with pip and venv',
  );
} else {
  const { ok, output } = await generatePython(await installPythonPackages(), 'clients/python/src');
  process.stdout.write(output);
  if (!ok) process.exitCode = 1;
}
