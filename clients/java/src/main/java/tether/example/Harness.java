package tether.example;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import internal.tether.v1.Action;
import internal.tether.v1.ActionServiceGrpc;
import internal.tether.v1.ActionServiceGrpc.ActionServiceBlockingStub;
import internal.tether.v1.ActionState;
import internal.tether.v1.CallRequest;
import internal.tether.v1.CallResponse;
import internal.tether.v1.GetRequest;
import internal.tether.v1.ToolServiceGrpc;
import internal.tether.v1.WatchRequest;
import internal.tether.v1.WatchResponse;
import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.util.Iterator;
import java.util.List;

/**
 * What a program that drives a model does with Tether, without a model: it reads, proposes writes, is told that they wait, and
 * learns from one stream what somebody else decided and what came of it. HARNESS_GRPC_ADDRESS, HARNESS_AGENT_KEY.
 */
public final class Harness {
  private final ToolServiceGrpc.ToolServiceBlockingStub tools;
  private final ActionServiceBlockingStub actions;

  private Harness(ManagedChannel channel, String key) {
    var headers = new Metadata();
    headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + key);
    var authorize = MetadataUtils.newAttachHeadersInterceptor(headers);
    tools = ToolServiceGrpc.newBlockingStub(channel).withInterceptors(authorize);
    actions = ActionServiceGrpc.newBlockingStub(channel).withInterceptors(authorize);
  }

  public static void main(String[] args) {
    // What may be repeated is for the program to decide, and not for the library.
    var channel =
        NettyChannelBuilder.forTarget(System.getenv("HARNESS_GRPC_ADDRESS")).usePlaintext().disableRetry().build();
    // With it ends the stream.
    try (CancellableContext context = Context.current().withCancellation()) {
      context.run(() -> new Harness(channel, System.getenv("HARNESS_AGENT_KEY")).play());
    } finally {
      channel.shutdownNow();
    }
  }

  private void play() {
    var ticket = JsonParser.parseString(call("get_ticket", "T-1").getResultJson()).getAsJsonObject();
    System.out.println("read get_ticket T-1: " + ticket.get("status").getAsString());

    var updates = actions.watch(WatchRequest.getDefaultInstance());
    for (var id : List.of("T-1", "T-2", "T-3", "T-4")) {
      var action = call("void_ticket", id).getAction();
      System.out.println("propose void_ticket " + id + ": " + word(action.getState()));
      waitUntilDecided(updates, action.getId());
      var found = actions.get(GetRequest.newBuilder().setActionId(action.getId()).build());
      System.out.println("outcome void_ticket " + id + ": " + told(found.getModelJson()));
    }
  }

  private CallResponse call(String tool, String ticket) {
    var arguments = new JsonObject();
    arguments.addProperty("ticket_id", ticket);
    return tools.call(CallRequest.newBuilder().setTool(tool).setArgumentsJson(arguments.toString()).build());
  }

  /** Returns when the stream tells the action in a state in which it waits for nobody and is not under way. */
  private static void waitUntilDecided(Iterator<WatchResponse> updates, String id) {
    while (updates.hasNext()) {
      var update = updates.next();
      Action action = update.hasSnapshot() ? update.getSnapshot() : update.getChange().getAction();
      var open = action.getState() == ActionState.ACTION_STATE_PENDING || action.getState() == ActionState.ACTION_STATE_EXECUTING;
      if (action.getId().equals(id) && !open) return;
    }
    throw new IllegalStateException("the watch ended");
  }

  private static String told(String modelJson) {
    var told = JsonParser.parseString(modelJson).getAsJsonObject();
    var came =
        told.has("error")
            ? "error=" + told.get("error").getAsString() + " retryable=" + told.get("retryable").getAsBoolean()
            : "result.status=" + told.getAsJsonObject("result").get("status").getAsString();
    return told.get("state").getAsString() + " effect=" + told.get("effect").getAsString() + " " + came;
  }

  /** As the documents spell it: PENDING. */
  private static String word(ActionState state) {
    return state.name().substring("ACTION_STATE_".length());
  }
}
