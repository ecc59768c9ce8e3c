package builtin

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

const (
	// maxPassword bounds what is hashed, in bytes.
	maxPassword = 256

	// The OWASP minimum for argon2id: 19 MiB, two passes; some 20 ms.
	argonMemory = 19 * 1024
	argonTime   = 2
	argonLanes  = 1
	argonKey    = 32
)

// hashing bounds how many hashes are computed at once: each takes 19 MiB.
var hashing = make(chan struct{}, 4)

// nobody is what the password of an unknown name is compared with, so that the
// answer takes as long as for a known one. No password fits it.
var nobody = phc([]byte("erpilot.no.such."), make([]byte, argonKey))

// HashPassword returns the argon2id hash in PHC form, with a random salt.
func HashPassword(password string) string {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // crypto/rand.Read never fails
	return hashWith(salt, password)
}

func hashWith(salt []byte, password string) string {
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return phc(salt, argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonLanes, argonKey))
}

func phc(salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonLanes,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}

// checkPassword compares in constant time; a malformed hash fits nothing.
func checkPassword(hash, password string) bool {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false
	}
	var version int
	var memory, passes uint32
	var lanes uint8
	if n, err := fmt.Sscanf(parts[2], "v=%d", &version); n != 1 || err != nil || version != argon2.Version {
		return false
	}
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &lanes); n != 3 || err != nil ||
		memory > 1<<20 || passes == 0 || passes > 20 || lanes == 0 {
		return false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) == 0 || len(want) > 64 {
		return false
	}
	hashing <- struct{}{}
	defer func() { <-hashing }()
	got := argon2.IDKey([]byte(password), salt, passes, memory, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1
}
