package endpoint

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/durationpb"

	tetherv1 "tether.internal/tether/gen/tether/v1"
)

// Refusal is a handler's no: returned as its error, it is a normal answer, which the model reads and explains. Of a write, all
// that its transaction did is rolled back. Say as much as you can; the model's next call is computed from it.
type Refusal struct {
	// Code is a stable name, like ticket_not_open. Required.
	Code string
	// Message names the violated condition, the offending value and the boundary, in a sentence or two. Required.
	Message string
	// Field is the argument at fault: its name, or a JSON Pointer when it is nested.
	Field string
	// Received is the offending value, Limit the boundary; nil when there is none to show.
	Received, Limit any
	// Accepted are the values that would be accepted.
	Accepted []any
	// Effect is what was left behind all the same, outside of the transaction. Empty means EffectNone.
	Effect Effect
	// Retryable says whether the same call could succeed later.
	Retryable bool
	// RetryAfter says how long to wait before that. Zero: it is not said.
	RetryAfter time.Duration
	// Alternatives are the moves that are open instead, best first.
	Alternatives []Alternative
}

// Alternative is a move that is open to the caller instead.
type Alternative struct {
	// Action is what to do, in lower_snake_case.
	Action string
	// Tool is the tool to call, if that is the move.
	Tool string
	// Arguments are ready to send; nil when there are none.
	Arguments any
	// Description is the move in a sentence.
	Description string
	// Extra is whatever else helps: a map or a struct.
	Extra any
}

// Effect is what a refusal left behind.
type Effect string

// What a refusal left behind.
const (
	EffectNone    Effect = "none"
	EffectUnknown Effect = "unknown"
	EffectApplied Effect = "applied"
)

func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

// Refused is a [Refusal] as it is kept in a ledger and put on the wire: every value as JSON text, so that it is the same each
// time it is told, over every transport, and in every language's package.
type Refused struct {
	Code              string        `json:"code"`
	Message           string        `json:"message"`
	Field             string        `json:"field,omitempty"`
	ReceivedJSON      string        `json:"receivedJson,omitempty"`
	LimitJSON         string        `json:"limitJson,omitempty"`
	AcceptedJSON      []string      `json:"acceptedJson,omitempty"`
	Effect            Effect        `json:"effect"`
	Retryable         bool          `json:"retryable"`
	RetryAfterSeconds float64       `json:"retryAfterSeconds,omitempty"`
	Alternatives      []RefusedMove `json:"alternatives,omitempty"`
}

// RefusedMove is an [Alternative] with its values as JSON text.
type RefusedMove struct {
	Action        string `json:"action"`
	Tool          string `json:"tool,omitempty"`
	ArgumentsJSON string `json:"argumentsJson,omitempty"`
	Description   string `json:"description,omitempty"`
	ExtraJSON     string `json:"extraJson,omitempty"`
}

// longestMessage is in bytes; Tether shows no more.
const longestMessage = 4_000

// record writes a refusal down. One that exceeds maxBytes as a whole keeps its code, message and field: an answer over the cap
// would leave everybody in doubt about a write that was only refused.
func (r *Refusal) record(maxBytes int) (*Refused, error) {
	if r.Code == "" || r.Message == "" {
		return nil, fmt.Errorf("a refusal needs a code and a message, or it would be taken for a success: %+v", r)
	}
	short := Refused{
		Code: r.Code, Message: cut(r.Message), Field: r.Field, Effect: r.Effect, Retryable: r.Retryable,
		RetryAfterSeconds: r.RetryAfter.Seconds(),
	}
	if short.Effect == "" {
		short.Effect = EffectNone
	}
	whole, texts := short, texts{}
	whole.ReceivedJSON, whole.LimitJSON = texts.of(r.Received), texts.of(r.Limit)
	for _, value := range r.Accepted {
		whole.AcceptedJSON = append(whole.AcceptedJSON, texts.whole(value))
	}
	for _, move := range r.Alternatives {
		whole.Alternatives = append(whole.Alternatives, RefusedMove{
			Action: move.Action, Tool: move.Tool, ArgumentsJSON: texts.of(move.Arguments), Description: move.Description,
			ExtraJSON: texts.of(move.Extra),
		})
	}
	if texts.err != nil {
		return nil, fmt.Errorf("the refusal %s has a value that is no JSON: %w", r.Code, texts.err)
	}
	if text, err := json.Marshal(whole); err != nil || len(text) > maxBytes {
		return &short, nil
	}
	return &whole, nil
}

// texts writes values down, and remembers the first one that cannot be.
type texts struct{ err error }

func (t *texts) of(value any) string {
	if value == nil {
		return ""
	}
	return t.whole(value)
}

func (t *texts) whole(value any) string {
	text, err := jsonText(value)
	if err != nil && t.err == nil {
		t.err = err
	}
	return string(text)
}

func cut(message string) string {
	message = strings.ToValidUTF8(message, "\uFFFD")
	if len(message) <= longestMessage {
		return message
	}
	end := longestMessage - len("…")
	for !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end] + "…"
}

// text is the refusal as a plain JSON answer.
func (r *Refused) text() []byte {
	answer := object{}
	answer.add("error", r.Code)
	answer.add("message", r.Message)
	answer.addText("field", r.Field)
	answer.addJSON("received", r.ReceivedJSON)
	answer.addJSON("limit", r.LimitJSON)
	if len(r.AcceptedJSON) > 0 {
		answer.addJSON("accepted", "["+strings.Join(r.AcceptedJSON, ",")+"]")
	}
	answer.add("effect", string(r.Effect))
	answer.add("retryable", r.Retryable)
	if r.RetryAfterSeconds != 0 {
		answer.add("retry_after_seconds", r.RetryAfterSeconds)
	}
	if len(r.Alternatives) > 0 {
		moves := make([]string, len(r.Alternatives))
		for i, move := range r.Alternatives {
			moves[i] = move.text()
		}
		answer.addJSON("alternatives", "["+strings.Join(moves, ",")+"]")
	}
	return []byte(answer.text())
}

func (m RefusedMove) text() string {
	move := object{}
	move.add("action", m.Action)
	move.addText("tool", m.Tool)
	move.addJSON("arguments", m.ArgumentsJSON)
	move.addText("description", m.Description)
	if extra := strings.TrimSpace(m.ExtraJSON); len(extra) > 2 && extra[0] == '{' {
		move.members = append(move.members, extra[1:len(extra)-1])
	}
	return move.text()
}

// message is the refusal as the message that both of gRPC's answers have a place for.
func (r *Refused) message() *tetherv1.ActionableError {
	message := &tetherv1.ActionableError{
		Code: r.Code, Message: r.Message, Field: r.Field, ReceivedJson: r.ReceivedJSON, LimitJson: r.LimitJSON,
		AcceptedJson: r.AcceptedJSON, Effect: effects[r.Effect], Retryable: r.Retryable,
	}
	if r.RetryAfterSeconds != 0 {
		message.RetryAfter = durationpb.New(time.Duration(r.RetryAfterSeconds * float64(time.Second)))
	}
	for _, move := range r.Alternatives {
		message.Alternatives = append(message.Alternatives, &tetherv1.Alternative{
			Action: move.Action, Tool: move.Tool, ArgumentsJson: move.ArgumentsJSON, Description: move.Description,
			ExtraJson: move.ExtraJSON,
		})
	}
	return message
}

var effects = map[Effect]tetherv1.Effect{
	EffectNone:    tetherv1.Effect_EFFECT_NONE,
	EffectUnknown: tetherv1.Effect_EFFECT_UNKNOWN,
	EffectApplied: tetherv1.Effect_EFFECT_APPLIED,
}
