package tether.example;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.Status;
import internal.tether.v1.ActionServiceGrpc;
import internal.tether.v1.ActionableError;
import internal.tether.v1.CallRequest;
import internal.tether.v1.ConfirmRequest;
import internal.tether.v1.ToolServiceGrpc;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** A model reads, proposes a write, and cannot confirm it itself. Arguments: host:port of the gRPC door, and keys.json. */
public final class Propose {
  public static void main(String[] args) throws IOException {
    var keys = JsonParser.parseString(Files.readString(Path.of(args[1]))).getAsJsonObject();
    var channel = NettyChannelBuilder.forTarget(args[0]).usePlaintext().disableRetry().build();
    try {
      var agent = bearer(keys.get("agent").getAsString());
      var tools = ToolServiceGrpc.newBlockingStub(channel).withInterceptors(agent);
      var ticket = new JsonObject();
      ticket.addProperty("ticket_id", "T-4421");
      var read = tools.call(CallRequest.newBuilder().setTool("get_ticket").setArgumentsJson(ticket.toString()).build());
      System.out.println("read: " + read.getModelJson());

      ticket.addProperty("reason", "entered twice");
      // A request id of its own: when the answer is lost, the same call returns the same action.
      var proposal =
          CallRequest.newBuilder()
              .setTool("void_ticket")
              .setArgumentsJson(ticket.toString())
              .setRequestId(UUID.randomUUID().toString());
      var proposed = tools.call(proposal.build());
      System.out.println("proposed: " + proposed.getModelJson());

      var confirm =
          ConfirmRequest.newBuilder()
              .setActionId(proposed.getAction().getId())
              .setPreviewDigest(proposed.getAction().getPreviewDigest())
              // What makes it safe to send a confirm again whose answer was lost.
              .setExpectedAttempts(proposed.getAction().getAttemptsUsed())
              .setIdempotencyKey(UUID.randomUUID().toString());
      ActionServiceGrpc.newBlockingStub(channel).withInterceptors(agent).confirm(confirm.build());
    } catch (StatusRuntimeException failed) {
      var error = detailOf(failed);
      if (error == null) throw failed;
      System.out.println("refused: " + error.getCode() + ", accepted " + error.getAcceptedJsonList() + ", " + error.getEffect());
    } finally {
      channel.shutdownNow();
    }
  }

  /** What Tether says of a failed call. Null: no answer of Tether's came, and nobody can know what it left behind; read with Get. */
  private static ActionableError detailOf(StatusRuntimeException failed) throws InvalidProtocolBufferException {
    Status status = StatusProto.fromThrowable(failed);
    for (var detail : status.getDetailsList())
      if (detail.is(ActionableError.class)) return detail.unpack(ActionableError.class);
    return null;
  }

  private static ClientInterceptor bearer(String key) {
    var headers = new Metadata();
    headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + key);
    return MetadataUtils.newAttachHeadersInterceptor(headers);
  }
}
