package endpoint

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Signing says what calls must be signed with: [SignedBy] or [Unsigned].
type Signing func() ([]*standardwebhooks.Webhook, error)

// SignedBy lets in only calls that are signed with one of these secrets (whsec_…), at most five minutes ago. Give two while one
// takes the place of the other, as two texts or as one with a space between.
func SignedBy(secrets ...string) Signing {
	return func() ([]*standardwebhooks.Webhook, error) {
		var hooks []*standardwebhooks.Webhook
		for i, secret := range strings.Fields(strings.Join(secrets, " ")) {
			// No error here names a secret. The library would take one without its prefix, and of any length.
			key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
			if err != nil || !strings.HasPrefix(secret, "whsec_") || len(key) < 24 || len(key) > 64 {
				return nil, fmt.Errorf("endpoint: signing secret %d must be whsec_ and the base64 of 24 to 64 bytes", i+1)
			}
			hook, err := standardwebhooks.NewWebhookRaw(key)
			if err != nil {
				return nil, fmt.Errorf("endpoint: signing secret %d cannot be used", i+1)
			}
			hooks = append(hooks, hook)
		}
		if len(hooks) == 0 {
			return nil, errors.New("endpoint: SignedBy has no secret; give one whsec_…, or Unsigned() to answer anybody")
		}
		return hooks, nil
	}
}

// Unsigned answers whoever can reach the endpoint: for trials, and behind something else that knows Tether.
func Unsigned() Signing {
	return func() ([]*standardwebhooks.Webhook, error) { return nil, nil }
}

// verify returns what is wrong with the signature over these bytes; nil when the call may come in.
func verify(hooks []*standardwebhooks.Webhook, body []byte, header http.Header) error {
	var err error
	for _, hook := range hooks {
		if err = hook.Verify(body, header); err == nil {
			return nil
		}
	}
	return err
}
