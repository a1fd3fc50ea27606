package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Call is what a handler is told.
type Call struct {
	// RequestID is the idempotency key, 32 hex digits: of a write the same over all of its attempts.
	RequestID string
	// Tool is the tool's name.
	Tool string
	// Arguments are a JSON object in RFC 8785 form, as the person was shown it. Tether has checked them against the schema of
	// the catalog.
	Arguments json.RawMessage
	// Tenant is on whose behalf.
	Tenant Tenant
	// ActionID is the action's id, a UUID. Empty for a read.
	ActionID string
	// Attempt counts from 1.
	Attempt int
	// Deadline: a write must not be applied from then on; who reads has stopped waiting. The handler's context ends then.
	Deadline time.Time
}

// Tenant is on whose behalf a tool is called.
type Tenant struct {
	ID string
	// Scope is a part of the tenant. Empty when it has none.
	Scope string
	// UserID is empty when no user was named.
	UserID string
}

// decode reads the arguments. What does not fit is a refusal; numbers that go into an any stay a json.Number with every digit.
func (c *Call) decode(into any) error {
	decoder := json.NewDecoder(bytes.NewReader(c.Arguments))
	decoder.UseNumber()
	err := decoder.Decode(into)
	if err == nil {
		return nil
	}
	refusal := &Refusal{Code: "invalid_arguments", Message: fmt.Sprintf("The arguments of %s cannot be read: %v.", c.Tool, err)}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		refusal.Field = wrong.Field
	}
	return refusal
}

// Mode is what is asked of an endpoint.
type Mode string

// What is asked.
const (
	// ModeRead is to look something up.
	ModeRead Mode = "read"
	// ModeExecute is to do a write.
	ModeExecute Mode = "execute"
	// ModeProbe is what became of a write.
	ModeProbe Mode = "probe"
)

// malformed is what cannot be a call of Tether's: nothing is done about it.
type malformed struct{ message, field string }

func (m *malformed) Error() string { return m.message }

// check is what every call must have, whatever carried it. key is X-Tether-Idempotency-Key, if it came through.
func (c *Call) check(key string) error {
	switch {
	case c.RequestID == "":
		return &malformed{"request_id must be there: it is the idempotency key.", "request_id"}
	case key != "" && key != c.RequestID:
		return &malformed{"The header X-Tether-Idempotency-Key must be equal to request_id.", "request_id"}
	case c.Tool == "":
		return &malformed{"tool must be the name of a tool.", "tool"}
	case c.Attempt < 1:
		return &malformed{"attempt must be 1 or more.", "attempt"}
	default:
		return nil
	}
}

// isObject tells a JSON object from every other value.
func isObject(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && text[0] == '{' && json.Valid(text)
}
