package endpoint_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"tether.internal/tether/endpoint"
	tetherv1 "tether.internal/tether/gen/tether/v1"
)

// served is an endpoint behind a real gRPC server.
func served(t *testing.T, shop interface{ Register(grpc.ServiceRegistrar) }) *grpc.ClientConn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(
		func(ctx context.Context, request any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			if _, ok := request.(interface{ GetRequestId() string }); !ok || !strings.HasPrefix(info.FullMethod, "/tether.v1.") {
				t.Errorf("an interceptor was shown %T of %s", request, info.FullMethod)
			}
			return next(ctx, request)
		}))
	shop.Register(server)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func (c call) invokeRequest() *tetherv1.InvokeRequest {
	mode := map[string]tetherv1.InvokeMode{
		"read": tetherv1.InvokeMode_INVOKE_MODE_READ, "execute": tetherv1.InvokeMode_INVOKE_MODE_EXECUTE,
	}
	return &tetherv1.InvokeRequest{
		RequestId: c.key, Tool: c.tool, ArgumentsJson: c.args, Tenant: &tetherv1.TenantContext{Id: c.tenant},
		IsWrite: c.mode == "execute", Mode: mode[c.mode], Attempt: int32(c.attempt), Deadline: timestamppb.New(c.deadline),
	}
}

func (c call) probeRequest() *tetherv1.ProbeRequest {
	return &tetherv1.ProbeRequest{
		RequestId: c.key, Tool: c.tool, Tenant: &tetherv1.TenantContext{Id: c.tenant}, Attempt: int32(c.attempt),
	}
}

// send sends a message's bytes as they are, signed.
func send(t *testing.T, conn *grpc.ClientConn, method, key string, message []byte, response proto.Message) error {
	t.Helper()
	header := make(http.Header)
	sign(header, secret, message)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-tether-idempotency-key", key,
		"webhook-id", header.Get("webhook-id"), "webhook-timestamp", header.Get("webhook-timestamp"),
		"webhook-signature", header.Get("webhook-signature"))
	bytes := new(emptypb.Empty)
	bytes.ProtoReflect().SetUnknown(message)
	return conn.Invoke(ctx, method, bytes, response)
}

func marshalled(t *testing.T, message proto.Message) []byte {
	t.Helper()
	bytes, err := proto.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func TestOverGRPCTheSameIsAnswered(t *testing.T) {
	db := openDatabase(t)
	shop := openShop(t, db)
	conn := served(t, shop)
	const invoke, probe = tetherv1.ToolEndpoint_Invoke_FullMethodName, tetherv1.ToolEndpoint_Probe_FullMethodName

	write := newCall("void_ticket")
	first, again := new(tetherv1.InvokeResponse), new(tetherv1.InvokeResponse)
	for _, response := range []*tetherv1.InvokeResponse{first, again} {
		if err := send(t, conn, invoke, write.key, marshalled(t, write.invokeRequest()), response); err != nil {
			t.Fatal(err)
		}
	}
	if first.GetResultJson() == "" || first.GetResultJson() != again.GetResultJson() || voids(t, db, write.ticket()) != 1 {
		t.Errorf("got %v and then %v", first, again)
	}
	// Over either transport it is one key.
	if got := write.to(shop); got.body != first.GetResultJson() {
		t.Errorf("over JSON it got %v, want %v", got, first)
	}
	other := write
	other.args = `{"ticket_id":"T-other"}`
	refused := new(tetherv1.InvokeResponse)
	if err := send(t, conn, invoke, write.key, marshalled(t, other.invokeRequest()), refused); err != nil {
		t.Fatal(err)
	}
	if refusal := refused.GetRefusal(); refusal.GetCode() != "idempotency_key_reused" || refusal.GetEffect() != tetherv1.Effect_EFFECT_NONE {
		t.Errorf("other arguments got %v", refused)
	}
	told := new(tetherv1.ProbeResponse)
	if err := send(t, conn, probe, write.key, marshalled(t, write.probeRequest()), told); err != nil {
		t.Fatal(err)
	}
	if told.GetDisposition() != tetherv1.ProbeDisposition_PROBE_DISPOSITION_EXECUTED || told.GetResultJson() != first.GetResultJson() {
		t.Errorf("the probe was told %v", told)
	}

	late := newCall("void_ticket")
	if err := send(t, conn, probe, late.key, marshalled(t, late.probeRequest()), told); err != nil {
		t.Fatal(err)
	}
	err := send(t, conn, invoke, late.key, marshalled(t, late.invokeRequest()), new(tetherv1.InvokeResponse))
	if told.GetDisposition() != tetherv1.ProbeDisposition_PROBE_DISPOSITION_NOT_EXECUTED || status.Code(err) != codes.Aborted {
		t.Errorf("the probe was told %v, and then the write got %v", told, err)
	}
}

func TestOverGRPCTheSignatureIsOverTheBytesAsTheyCame(t *testing.T) {
	conn := served(t, readingShop(t, endpoint.SignedBy(secret)))
	const method = tetherv1.ToolEndpoint_Invoke_FullMethodName
	read := reading("get_ticket", `{"ticket_id":"T-1"}`)
	// The last field first: a message that was read and written again would not be the same bytes.
	bytes := append(marshalled(t, &tetherv1.InvokeRequest{Deadline: timestamppb.New(time.Now().Add(time.Minute))}), func() []byte {
		request := read.invokeRequest()
		request.Deadline = nil
		return marshalled(t, request)
	}()...)
	response := new(tetherv1.InvokeResponse)
	if err := send(t, conn, method, read.key, bytes, response); err != nil || response.GetResultJson() == "" {
		t.Errorf("got %v, %v", response, err)
	}

	unsigned := tetherv1.NewToolEndpointClient(conn)
	if _, err := unsigned.Invoke(t.Context(), read.invokeRequest()); status.Code(err) != codes.Unauthenticated {
		t.Errorf("a call that is not signed got %v", err)
	}
	if _, err := unsigned.Probe(t.Context(), read.probeRequest()); status.Code(err) != codes.Unauthenticated {
		t.Errorf("a probe that is not signed got %v", err)
	}
}

func TestOverGRPCWhatIsNoCallIsTurnedAway(t *testing.T) {
	vendor := tetherv1.NewToolEndpointClient(served(t, readingShop(t, endpoint.Unsigned())))
	good := reading("get_ticket", `{"ticket_id":"T-1"}`)
	for name, change := range map[string]func(*tetherv1.InvokeRequest){
		"no key":       func(r *tetherv1.InvokeRequest) { r.RequestId = "" },
		"no attempt":   func(r *tetherv1.InvokeRequest) { r.Attempt = 0 },
		"no mode":      func(r *tetherv1.InvokeRequest) { r.Mode = 0 },
		"no deadline":  func(r *tetherv1.InvokeRequest) { r.Deadline = nil },
		"no arguments": func(r *tetherv1.InvokeRequest) { r.ArgumentsJson = "[]" },
	} {
		request := good.invokeRequest()
		change(request)
		if _, err := vendor.Invoke(t.Context(), request); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s got %v", name, err)
		}
	}
	if _, err := vendor.Invoke(t.Context(), good.invokeRequest()); err != nil {
		t.Error(err)
	}
}
