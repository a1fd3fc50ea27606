package endpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// jsonText encodes a value without the escapes that are for web pages. Text that is JSON already stays as it is.
func jsonText(value any) ([]byte, error) {
	if text, ok := value.(json.RawMessage); ok {
		if !json.Valid(text) {
			return nil, fmt.Errorf("the json.RawMessage is no JSON")
		}
		return text, nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// object is a JSON object in the making; texts that are JSON already are put in as they are.
type object struct{ members []string }

func (o *object) add(name string, value any) {
	text, err := jsonText(value)
	if err != nil {
		// Only texts, numbers and truth values are handed in.
		panic(err)
	}
	o.addJSON(name, string(text))
}

// addText leaves an empty text out.
func (o *object) addText(name, value string) {
	if value != "" {
		o.add(name, value)
	}
}

// addJSON leaves out what is not there.
func (o *object) addJSON(name, text string) {
	if text != "" {
		o.members = append(o.members, `"`+name+`":`+text)
	}
}

func (o *object) text() string { return "{" + strings.Join(o.members, ",") + "}" }
