package endpoint

import (
	"context"
	"errors"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	tetherv1 "tether.internal/tether/gen/tether/v1"
)

// Register serves the endpoint as tether.v1.ToolEndpoint, from any server of google.golang.org/grpc.
func (e *Endpoint[Tx]) Register(server grpc.ServiceRegistrar) {
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: tetherv1.ToolEndpoint_ServiceDesc.ServiceName,
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{
			{MethodName: "Invoke", Handler: signed(tetherv1.ToolEndpoint_Invoke_FullMethodName, e.checked, e.invokeMessage)},
			{MethodName: "Probe", Handler: signed(tetherv1.ToolEndpoint_Probe_FullMethodName, e.checked, e.probeMessage)},
		},
		Metadata: tetherv1.ToolEndpoint_ServiceDesc.Metadata,
	}, e)
}

// signed is a handler that looks at the bytes of a message before it reads them: they are what is signed, and a message that was
// read and written again is often another sequence of bytes. A message that knows no field keeps them all as they came.
func signed[Request any, Response any, PtrRequest interface {
	*Request
	proto.Message
}](
	method string, check func(context.Context, []byte) error, answer func(context.Context, PtrRequest) (Response, error),
) grpc.MethodHandler {
	return func(srv any, ctx context.Context, decode func(any) error, interceptor grpc.UnaryServerInterceptor) (any, error) {
		untouched := new(emptypb.Empty)
		if err := decode(untouched); err != nil {
			return nil, err
		}
		bytes := untouched.ProtoReflect().GetUnknown()
		if err := check(ctx, bytes); err != nil {
			return nil, err
		}
		request := PtrRequest(new(Request))
		if err := proto.Unmarshal(bytes, request); err != nil {
			return nil, status.Errorf(codes.InvalidArgument, "The message is no %s.", request.ProtoReflect().Descriptor().FullName())
		}
		handle := func(ctx context.Context, message any) (any, error) {
			return answer(ctx, message.(PtrRequest))
		}
		if interceptor == nil {
			return handle(ctx, request)
		}
		return interceptor(ctx, request, &grpc.UnaryServerInfo{Server: srv, FullMethod: method}, handle)
	}
}

// checked verifies the signature over a message's bytes.
func (e *Endpoint[Tx]) checked(ctx context.Context, message []byte) error {
	header := make(http.Header)
	for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		header.Set(name, metadataOf(ctx, name))
	}
	err := verify(e.hooks, message, header)
	if err == nil {
		return nil
	}
	e.tell(Answered{Outcome: "unsigned", Err: err})
	return status.Error(codes.Unauthenticated, "The call is not signed as it must be: "+err.Error()+".")
}

func (e *Endpoint[Tx]) invokeMessage(ctx context.Context, request *tetherv1.InvokeRequest) (*tetherv1.InvokeResponse, error) {
	mode, call, err := callOf(ctx, request)
	if err != nil {
		return nil, e.turnAway(err)
	}
	outcome, err := e.invoke(ctx, mode, call)
	switch {
	case err != nil:
		return nil, status.Error(codes.Internal, callFailed)
	case outcome.Refused != nil:
		return &tetherv1.InvokeResponse{Outcome: &tetherv1.InvokeResponse_Refusal{Refusal: outcome.Refused.message()}}, nil
	case outcome.Late != nil:
		return nil, status.Error(codes.Aborted, outcome.Late.Message)
	default:
		return &tetherv1.InvokeResponse{Outcome: &tetherv1.InvokeResponse_ResultJson{ResultJson: string(outcome.Result)}}, nil
	}
}

func (e *Endpoint[Tx]) probeMessage(ctx context.Context, request *tetherv1.ProbeRequest) (*tetherv1.ProbeResponse, error) {
	call := &Call{
		RequestID: request.GetRequestId(), Tool: request.GetTool(), Tenant: tenantOf(request.GetTenant()),
		ActionID: request.GetActionId(), Attempt: int(request.GetAttempt()),
	}
	if err := call.check(metadataOf(ctx, "x-tether-idempotency-key")); err != nil {
		return nil, e.turnAway(err)
	}
	told, err := e.probe(ctx, call)
	if err != nil {
		return nil, status.Error(codes.Internal, callFailed)
	}
	response := &tetherv1.ProbeResponse{Disposition: dispositions[told.Disposition], ResultJson: string(told.Result)}
	if told.Refused != nil {
		response.Refusal = told.Refused.message()
	}
	return response, nil
}

func callOf(ctx context.Context, request *tetherv1.InvokeRequest) (Mode, *Call, error) {
	call := &Call{
		RequestID: request.GetRequestId(), Tool: request.GetTool(), Arguments: []byte(request.GetArgumentsJson()),
		Tenant: tenantOf(request.GetTenant()), ActionID: request.GetActionId(), Attempt: int(request.GetAttempt()),
	}
	if err := call.check(metadataOf(ctx, "x-tether-idempotency-key")); err != nil {
		return "", nil, err
	}
	modes := map[tetherv1.InvokeMode]Mode{
		tetherv1.InvokeMode_INVOKE_MODE_READ: ModeRead, tetherv1.InvokeMode_INVOKE_MODE_EXECUTE: ModeExecute,
	}
	mode, ok := modes[request.GetMode()]
	if !ok {
		return "", nil, &malformed{"mode must be READ or EXECUTE.", "mode"}
	}
	if !request.GetDeadline().IsValid() {
		return "", nil, &malformed{"deadline must be there, and a time.", "deadline"}
	}
	call.Deadline = request.GetDeadline().AsTime()
	if !isObject(call.Arguments) {
		return "", nil, &malformed{"arguments_json must be a JSON object.", "arguments_json"}
	}
	return mode, call, nil
}

func (e *Endpoint[Tx]) turnAway(err error) error {
	e.tell(Answered{Outcome: "malformed", Err: err})
	var wrong *malformed
	errors.As(err, &wrong)
	return status.Error(codes.InvalidArgument, wrong.message)
}

func tenantOf(tenant *tetherv1.TenantContext) Tenant {
	return Tenant{tenant.GetId(), tenant.GetScope(), tenant.GetUserId()}
}

func metadataOf(ctx context.Context, name string) string {
	if values := metadata.ValueFromIncomingContext(ctx, name); len(values) > 0 {
		return values[0]
	}
	return ""
}

var dispositions = map[Disposition]tetherv1.ProbeDisposition{
	Executed:    tetherv1.ProbeDisposition_PROBE_DISPOSITION_EXECUTED,
	NotExecuted: tetherv1.ProbeDisposition_PROBE_DISPOSITION_NOT_EXECUTED,
	InProgress:  tetherv1.ProbeDisposition_PROBE_DISPOSITION_IN_PROGRESS,
	Unknown:     tetherv1.ProbeDisposition_PROBE_DISPOSITION_UNKNOWN,
}
