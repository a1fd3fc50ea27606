package endpoint

import (
	"encoding/json"
	"fmt"
)

// resultText is what a handler returned, as the JSON text that is sent and recorded: nil is null, a json.RawMessage stays as it
// is. One that is longer than maxBytes is refused: Tether would cut it off, and know nothing.
func resultText(result any, tool string, maxBytes int) (json.RawMessage, error) {
	text, err := jsonText(result)
	if err != nil {
		return nil, fmt.Errorf("%s returned what is no JSON: %w", tool, err)
	}
	if hasError(text) {
		// Tether takes that for a refusal.
		return nil, fmt.Errorf("%s returned an object with an error in it; return a *endpoint.Refusal to say no", tool)
	}
	if len(text) > maxBytes {
		return nil, &Refusal{
			Code: "result_too_large",
			Message: fmt.Sprintf("The result of %s has %d bytes, and at most %d can be sent; nothing was done. Ask for less.",
				tool, len(text), maxBytes),
			Received: len(text),
			Limit:    maxBytes,
		}
	}
	return text, nil
}

func hasError(text json.RawMessage) bool {
	var members map[string]json.RawMessage
	if !isObject(text) || json.Unmarshal(text, &members) != nil {
		return false
	}
	switch value, ok := members["error"]; string(value) {
	case "null", "false", `""`:
		return false
	default:
		return ok
	}
}
