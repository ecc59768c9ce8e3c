package operation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
)

var (
	proofKey = []byte("0123456789abcdef0123456789abcdef")
	proofAt  = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
)

func signed() operation.Decision {
	return operation.Decision{OpID: "op-1", PendingID: "p-1", Revision: 2, Digest: "abc", Decision: operation.Approve, DecisionID: "d-1"}
}

func TestProofNamesTheSignerAndTheChannel(t *testing.T) {
	t.Parallel()
	d := signed()
	proof := operation.Sign(proofKey, d, "acme.east", "u.1", operation.ChannelWeb, proofAt)
	d.Comment, d.Actor, d.Proof, d.Channel = "fine", "someone", proof, operation.ChannelTemporal
	user, channel, err := operation.Verify(proofKey, d, "acme.east", proof, proofAt.Add(7*24*time.Hour))
	if err != nil || user != "u.1" || channel != operation.ChannelWeb {
		t.Fatalf("got %q %q %v, want u.1 web", user, channel, err)
	}
	if len(proof) > 200 {
		t.Errorf("the proof has %d bytes; Shape allows 200", len(proof))
	}
}

func TestProofFitsNothingElse(t *testing.T) {
	t.Parallel()
	good := operation.Sign(proofKey, signed(), "acme.east", "u1", operation.ChannelWeb, proofAt)
	for name, change := range map[string]func(d *operation.Decision, key *[]byte, tenant, proof *string, now *time.Time){
		"another operation":   func(d *operation.Decision, _ *[]byte, _, _ *string, _ *time.Time) { d.OpID = "op-2" },
		"another pending":     func(d *operation.Decision, _ *[]byte, _, _ *string, _ *time.Time) { d.PendingID = "p-2" },
		"another revision":    func(d *operation.Decision, _ *[]byte, _, _ *string, _ *time.Time) { d.Revision = 3 },
		"another digest":      func(d *operation.Decision, _ *[]byte, _, _ *string, _ *time.Time) { d.Digest = "abd" },
		"another verb":        func(d *operation.Decision, _ *[]byte, _, _ *string, _ *time.Time) { d.Decision = operation.Reject },
		"another decision id": func(d *operation.Decision, _ *[]byte, _, _ *string, _ *time.Time) { d.DecisionID = "d-2" },
		"fields run together": func(d *operation.Decision, _ *[]byte, _, _ *string, _ *time.Time) {
			d.OpID, d.PendingID = "op-", "1p-1"
		},
		"another tenant": func(_ *operation.Decision, _ *[]byte, tenant, _ *string, _ *time.Time) { *tenant = "acme.west" },
		"another key":    func(_ *operation.Decision, key *[]byte, _, _ *string, _ *time.Time) { *key = []byte("other") },
		"no key":         func(_ *operation.Decision, key *[]byte, _, _ *string, _ *time.Time) { *key = nil },
		"another user": func(_ *operation.Decision, _ *[]byte, _, proof *string, _ *time.Time) {
			*proof = strings.Replace(*proof, ".u1", ".u2", 1)
		},
		"another channel": func(_ *operation.Decision, _ *[]byte, _, proof *string, _ *time.Time) {
			*proof = strings.Replace(*proof, ".web.", ".terminal.", 1)
		},
		"the future": func(_ *operation.Decision, _ *[]byte, _, _ *string, now *time.Time) { *now = proofAt.Add(-time.Hour) },
		"no proof":   func(_ *operation.Decision, _ *[]byte, _, proof *string, _ *time.Time) { *proof = "" },
		"rubbish":    func(_ *operation.Decision, _ *[]byte, _, proof *string, _ *time.Time) { *proof = "1.zz.web.!.u1" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, key, tenant, proof, now := signed(), proofKey, "acme.east", good, proofAt
			change(&d, &key, &tenant, &proof, &now)
			if _, _, err := operation.Verify(key, d, tenant, proof, now); fault.CodeOf(err) != fault.Unverified {
				t.Errorf("got %v, want unverified", err)
			}
		})
	}
}

func TestClaimsDoNotPassForDecisions(t *testing.T) {
	t.Parallel()
	proof := operation.Sign(proofKey, operation.RetryClaim("op-1"), "acme.east", "u1", operation.ChannelWeb, proofAt)
	for _, d := range []operation.Decision{signed(), operation.ReviseClaim("op-1", ""), operation.SettleClaim("op-1", "", "")} {
		if _, _, err := operation.Verify(proofKey, d, "acme.east", proof, proofAt); fault.CodeOf(err) != fault.Unverified {
			t.Errorf("the proof of a retry passes for %q", d.Decision)
		}
	}
}
