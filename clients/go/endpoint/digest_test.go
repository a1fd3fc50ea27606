package endpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

func TestTheDigestIsOverTheCanonicalFormOfTheArguments(t *testing.T) {
	// RFC 8785's public test data, in this module's repository.
	const vectors = "../../../test/vectors/jcs"
	inputs, err := filepath.Glob(filepath.Join(vectors, "input", "*.json"))
	if err != nil || len(inputs) == 0 {
		t.Fatalf("there are no vectors in %s: %v", vectors, err)
	}
	for _, input := range inputs {
		text, err := os.ReadFile(input)
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := os.ReadFile(filepath.Join(vectors, "output", filepath.Base(input)))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(canonical)
		want := "sha256:" + hex.EncodeToString(sum[:])
		if got, err := argumentsDigest(text); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", filepath.Base(input), got, err, want)
		}
	}
}
