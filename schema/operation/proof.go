package operation

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"strings"
	"time"

	"github.com/erpilot/erpilot/schema/fault"
)

// proofSkew is how far the clocks of signer and verifier may differ.
const proofSkew = 5 * time.Minute

// Sign proves that the user, logged in, said this through the channel at that
// time. The proof covers op_id, pending_id, revision, digest, verb, decision_id,
// tenant, user, channel and second; Actor, Channel, Comment and Proof of the
// decision itself are not covered.
//
// A proof needs no expiry of its own: it fits one pending and one digest, and a
// decision on those counts until the operation's deadline and once. So a signed
// decision may wait as a signal while no worker is up.
func Sign(key []byte, d Decision, tenant, user string, channel Channel, at time.Time) string {
	second := strconv.FormatInt(at.Unix(), 36)
	mac := base64.RawURLEncoding.EncodeToString(proofMAC(key, d, tenant, user, channel, second))
	return strings.Join([]string{"1", second, string(channel), mac, user}, ".")
}

// Verify returns who signed the decision and through which channel. Anything
// that does not fit (other content, other key, other tenant, a time after now,
// an empty key) is fault.Unverified.
func Verify(key []byte, d Decision, tenant, proof string, now time.Time) (user string, channel Channel, err error) {
	unverified := fault.New(fault.Unverified)
	part := strings.SplitN(proof, ".", 5)
	if len(key) == 0 || len(part) != 5 || part[0] != "1" || part[4] == "" {
		return "", "", unverified
	}
	at, err := strconv.ParseInt(part[1], 36, 64)
	if err != nil || time.Unix(at, 0).After(now.Add(proofSkew)) {
		return "", "", unverified
	}
	mac, err := base64.RawURLEncoding.DecodeString(part[3])
	if err != nil {
		return "", "", unverified
	}
	user, channel = part[4], Channel(part[2])
	if !hmac.Equal(mac, proofMAC(key, d, tenant, user, channel, part[1])) {
		return "", "", unverified
	}
	return user, channel, nil
}

// proofMAC writes every field with its length first, so that no two decisions
// have the same bytes.
func proofMAC(key []byte, d Decision, tenant, user string, channel Channel, second string) []byte {
	h := hmac.New(sha256.New, key)
	for _, field := range []string{
		"erpilot decision 1", tenant, user, string(channel), second,
		d.OpID, d.PendingID, strconv.Itoa(d.Revision), d.Digest, string(d.Decision), d.DecisionID,
	} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(field)))
		h.Write(length[:])
		h.Write([]byte(field))
	}
	return h.Sum(nil)
}

// What a person asks of an operation besides deciding it is signed as a decision
// with a verb of its own, so that neither proof passes for the other.

// ReviseClaim is what the proof of an edit signs.
func ReviseClaim(opID, revisionID string) Decision {
	return Decision{OpID: opID, Decision: "revise", DecisionID: revisionID}
}

// RetryClaim is what the proof of a retry signs.
func RetryClaim(opID string) Decision { return Decision{OpID: opID, Decision: "retry"} }

// SettleClaim is what the proof of a settlement signs: the outcome that a person
// found, and the document when there is one.
func SettleClaim(opID string, status Status, bill string) Decision {
	return Decision{OpID: opID, Decision: "settle", PendingID: string(status), DecisionID: bill}
}
