package endpoint

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"
)

// ServeHTTP answers a call as plain JSON over HTTP. Where it hangs is for your server to say: http.Handle("POST /tools", shop).
// What is in front of it must leave the body alone: its bytes are what is signed.
func (e *Endpoint[Tx]) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, body := e.answer(r)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// Who hung up is not there to be told; a write has been finished all the same.
	_, _ = w.Write(body)
}

func (e *Endpoint[Tx]) answer(r *http.Request) (int, []byte) {
	if r.Method != http.MethodPost {
		return trouble(http.StatusMethodNotAllowed, "method_not_allowed", "Calls are POST requests.", "")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, int64(e.options.maxRequestBytes)+1))
	if err != nil {
		return trouble(http.StatusBadRequest, "malformed_call", "The body broke off.", "")
	}
	if len(body) > e.options.maxRequestBytes {
		// Read on for a while: cut off in the middle, the caller would never see the answer.
		_, _ = io.CopyN(io.Discard, r.Body, 16<<20)
		message := "A request has at most " + strconv.Itoa(e.options.maxRequestBytes) + " bytes here."
		return trouble(http.StatusRequestEntityTooLarge, "request_too_large", message, "")
	}
	if err := verify(e.hooks, body, r.Header); err != nil {
		e.tell(Answered{Outcome: "unsigned", Err: err})
		return trouble(http.StatusUnauthorized, "unauthenticated", "The call is not signed as it must be: "+err.Error()+".", "")
	}
	mode, call, err := readEnvelope(body, r.Header.Get("X-Tether-Idempotency-Key"))
	if err != nil {
		e.tell(Answered{Outcome: "malformed", Err: err})
		var wrong *malformed
		errors.As(err, &wrong)
		return trouble(http.StatusBadRequest, "malformed_call", wrong.message, wrong.field)
	}
	if mode == ModeProbe {
		told, err := e.probe(r.Context(), call)
		if err != nil {
			return failed()
		}
		return http.StatusOK, told.text()
	}
	outcome, err := e.invoke(r.Context(), mode, call)
	switch {
	case err != nil:
		return failed()
	case outcome.Refused != nil:
		return http.StatusOK, outcome.Refused.text()
	case outcome.Late != nil:
		// A status that Tether takes as "nothing was done, and may be confirmed again".
		return trouble(http.StatusTooEarly, outcome.Late.Code, outcome.Late.Message, "")
	default:
		return http.StatusOK, outcome.Result
	}
}

// text is the answer to a probe.
func (t Told) text() []byte {
	answer := object{}
	answer.add("disposition", string(t.Disposition))
	answer.addJSON("result", string(t.Result))
	if t.Refused != nil {
		answer.addJSON("refusal", string(t.Refused.text()))
	}
	return []byte(answer.text())
}

const callFailed = "The call failed, and may have been carried out before it did."

func failed() (int, []byte) {
	return trouble(http.StatusInternalServerError, "internal", callFailed, "")
}

func trouble(status int, code, message, field string) (int, []byte) {
	answer := object{}
	answer.add("error", code)
	answer.add("message", message)
	answer.addText("field", field)
	return status, []byte(answer.text())
}

// readEnvelope reads the JSON of a call or a probe, as docs/endpoint.md has it. The error is a *malformed.
func readEnvelope(body []byte, key string) (Mode, *Call, error) {
	// By its exact names: into a struct, the library would take a member in any case.
	var envelope map[string]json.RawMessage
	if !utf8.Valid(body) || json.Unmarshal(body, &envelope) != nil || envelope == nil {
		return "", nil, &malformed{"The body must be a JSON object.", ""}
	}
	var tenant map[string]json.RawMessage
	_ = json.Unmarshal(envelope["tenant"], &tenant)
	call := &Call{
		RequestID: textIn(envelope["request_id"]),
		Tool:      textIn(envelope["tool"]),
		Tenant:    Tenant{textIn(tenant["id"]), textIn(tenant["scope"]), textIn(tenant["user_id"])},
		ActionID:  textIn(envelope["action_id"]),
	}
	_ = json.Unmarshal(envelope["attempt"], &call.Attempt)
	if err := call.check(key); err != nil {
		return "", nil, err
	}
	mode := Mode(textIn(envelope["mode"]))
	if mode == ModeProbe {
		return mode, call, nil
	}
	if mode != ModeRead && mode != ModeExecute {
		return "", nil, &malformed{"mode must be read, execute or probe.", "mode"}
	}
	call.Arguments = envelope["args"]
	if !isObject(call.Arguments) {
		return "", nil, &malformed{"args must be an object.", "args"}
	}
	var err error
	if call.Deadline, err = time.Parse(time.RFC3339, textIn(envelope["deadline"])); err != nil {
		return "", nil, &malformed{"deadline must be an ISO 8601 time.", "deadline"}
	}
	return mode, call, nil
}

// textIn is a text; empty for what is none.
func textIn(value json.RawMessage) string {
	var text string
	_ = json.Unmarshal(value, &text)
	return text
}
