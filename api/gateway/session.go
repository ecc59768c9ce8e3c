package gateway

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"hash/fnv"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/workflows/contract"
)

// requester is who sent the request, proven by its token.
type requester struct {
	tenant    identity.Tenant
	userID    string
	user      identity.User
	sessionID string
	// tokenHash finds the session again; the token itself is not kept.
	tokenHash []byte
	expires   time.Time
}

// tokenBytes is the secret part of a token.
const tokenBytes = 32

// newToken makes "<brand>.<subsidiary>.<secret>". The tenant in it only says
// where to look; the secret proves.
func newToken(tenant identity.Tenant) string {
	secret := make([]byte, tokenBytes)
	_, _ = rand.Read(secret) // never fails since Go 1.24
	return tenant.String() + "." + base64.RawURLEncoding.EncodeToString(secret)
}

// parseToken returns the tenant and the hash of a well-formed token.
func parseToken(token string) (identity.Tenant, []byte, bool) {
	cut := strings.LastIndexByte(token, '.')
	if cut < 0 || len(token)-cut-1 != base64.RawURLEncoding.EncodedLen(tokenBytes) {
		return identity.Tenant{}, nil, false
	}
	tenant, err := identity.ParseTenant(token[:cut])
	if err != nil {
		return identity.Tenant{}, nil, false
	}
	hash := sha256.Sum256([]byte(token))
	return tenant, hash[:], true
}

// authenticated lets only requests with a live session through.
func (s *Server) authenticated(h private) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		who, err := s.authenticate(r)
		if err != nil {
			return err
		}
		return h(w, r, who)
	}
}

// authenticate reads the bearer token. Codes: unauthenticated, unavailable.
func (s *Server) authenticate(r *http.Request) (*requester, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	tenant, hash, ok := parseToken(strings.TrimSpace(token))
	if !ok || !strings.EqualFold(scheme, "bearer") {
		return nil, fault.New(fault.Unauthenticated)
	}
	who := &requester{tenant: tenant, tokenHash: hash}
	if err := s.session(r.Context(), who); err != nil {
		return nil, err
	}
	user, err := s.people.user(r.Context(), s.Auth, tenant, who.userID)
	if fault.CodeOf(err) == fault.NotFound { // the ERP has removed or locked the person
		return nil, fault.New(fault.Unauthenticated)
	}
	who.user = user
	return who, err
}

// session fills in whose session it is. Codes: unauthenticated.
func (s *Server) session(ctx context.Context, who *requester) error {
	err := s.DB.One(ctx, who.tenant, func(ctx context.Context, q *pgdb.Queries) error {
		row, err := q.SessionByToken(ctx, pgdb.SessionByTokenParams{TenantID: who.tenant.String(), TokenHash: who.tokenHash})
		if err == nil {
			who.sessionID, who.userID, who.expires = row.SessionID, row.UserID, row.ExpiresAt
		}
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.Unauthenticated)
	}
	return err
}

type loginBody struct {
	Brand      string `json:"brand"`
	Subsidiary string `json:"subsidiary"`
	Username   string `json:"username"`
	Password   string `json:"password"`
}

// login checks a password with the ERP and opens a session.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	var body loginBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	tenant, err := identity.ParseTenant(body.Brand + "." + body.Subsidiary)
	if err != nil {
		return fault.New(fault.BadCredentials) // which brands exist is nobody's business
	}
	username := strings.ToLower(strings.TrimSpace(body.Username))
	if username == "" || len(username) > 64 || body.Password == "" {
		return fault.New(fault.BadCredentials)
	}
	user, err := s.checkPassword(r.Context(), tenant, username, body.Password)
	if fault.CodeOf(err) == fault.BadCredentials {
		return errors.Join(err, s.auditRefusedLogin(r, tenant, username))
	}
	if err != nil {
		return err
	}
	token := newToken(tenant)
	expires, err := s.openSession(r, user, token)
	if err != nil {
		return err
	}
	s.refreshCredentials(r.Context(), tenant, user.UserID)
	return s.reply(w, http.StatusOK, map[string]any{"token": token, "user": user, "expires_at": expires})
}

// checkPassword asks the ERP. One name is checked once at a time: many guesses
// side by side must not all be made before the first one counts.
func (s *Server) checkPassword(ctx context.Context, tenant identity.Tenant, username, password string) (identity.User, error) {
	key := tenant.String() + "\x00" + username
	one := s.logins.turn(key)
	one.Lock()
	defer one.Unlock()
	if err := ctx.Err(); err != nil { // it has left meanwhile
		return identity.User{}, fault.Wrap(fault.Unavailable, err)
	}
	if !s.logins.allowed(key) {
		return identity.User{}, fault.New(fault.RateLimited)
	}
	user, err := s.Auth.Login(ctx, tenant, username, password)
	switch {
	case err == nil:
		s.logins.succeeded(key)
	case fault.CodeOf(err) == fault.BadCredentials:
		s.logins.failed(key)
	}
	return user, err
}

func (s *Server) openSession(r *http.Request, user identity.User, token string) (time.Time, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return time.Time{}, fault.Wrap(fault.Internal, err)
	}
	hash := sha256.Sum256([]byte(token))
	expires := time.Now().Add(s.SessionTTL).UTC()
	err = s.DB.Tx(r.Context(), user.Tenant, func(ctx context.Context, tx pgx.Tx) error {
		err := pgdb.New(tx).InsertSession(ctx, pgdb.InsertSessionParams{TenantID: user.Tenant.String(), SessionID: id.String(),
			UserID: user.UserID, TokenHash: hash[:], ExpiresAt: expires})
		if err != nil {
			return err
		}
		return store.Audit(ctx, tx, user.Tenant, store.AuditEntry{Kind: "login", Actor: user.UserID, Channel: string(channelOf(r)),
			Data: map[string]any{"session_id": id.String()}})
	})
	return expires, err
}

// auditRefusedLogin needs a tenant that exists; a refused login to another one
// leaves a log line only.
func (s *Server) auditRefusedLogin(r *http.Request, tenant identity.Tenant, username string) error {
	err := s.DB.Tx(r.Context(), tenant, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := pgdb.New(tx).Tenant(ctx, tenant.String()); err != nil {
			return err
		}
		return store.Audit(ctx, tx, tenant, store.AuditEntry{Kind: "login_refused", Actor: username, Channel: string(channelOf(r)), Data: map[string]any{}})
	})
	if errors.Is(err, pgx.ErrNoRows) {
		s.log.Info("a login names an unknown tenant", "request_id", requestID(r))
		return nil
	}
	return err
}

// logout ends the session.
func (s *Server) logout(w http.ResponseWriter, r *http.Request, who *requester) error {
	err := s.DB.Tx(r.Context(), who.tenant, func(ctx context.Context, tx pgx.Tx) error {
		_, err := pgdb.New(tx).RevokeSession(ctx, pgdb.RevokeSessionParams{TenantID: who.tenant.String(), SessionID: who.sessionID})
		if err != nil {
			return err
		}
		return store.Audit(ctx, tx, who.tenant, store.AuditEntry{Kind: "logout", Actor: who.userID, Channel: string(channelOf(r)),
			Data: map[string]any{"session_id": who.sessionID}})
	})
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// refreshCredentials tells the person's parked operations that they may go on.
// What it misses is found by the sweep.
func (s *Server) refreshCredentials(ctx context.Context, tenant identity.Tenant, userID string) {
	s.behind(ctx, 10*time.Second, func(ctx context.Context) {
		var parked []string
		err := s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
			var err error
			parked, err = pgdb.New(tx).ParkedOperations(ctx, pgdb.ParkedOperationsParams{TenantID: tenant.String(), UserID: userID})
			return err
		})
		for _, opID := range parked {
			err = errors.Join(err, s.Temporal.SignalWorkflow(ctx, contract.OperationWorkflowID(opID), "", contract.SignalCredentials, nil))
		}
		if err != nil {
			s.log.Warn("parked operations could not be told of a login", "error", err)
		}
	})
}

// people remembers for a few seconds who somebody is: name, language and roles
// for the screen. Rights are never read from here.
type people struct {
	mu    sync.Mutex
	known map[personKey]person
}

type personKey struct {
	tenant identity.Tenant
	userID string
}

type person struct {
	user  identity.User
	until time.Time
}

const (
	personFor = 5 * time.Second
	personMax = 10_000
)

func (p *people) user(ctx context.Context, auth Authenticator, tenant identity.Tenant, userID string) (identity.User, error) {
	key := personKey{tenant, userID}
	p.mu.Lock()
	known, ok := p.known[key]
	p.mu.Unlock()
	if ok && time.Now().Before(known.until) {
		return known.user, nil
	}
	user, _, err := auth.User(ctx, tenant, userID)
	if err != nil {
		return user, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || len(p.known) >= personMax {
		p.known = map[personKey]person{}
	}
	p.known[key] = person{user, time.Now().Add(personFor)}
	return user, nil
}

// name is the person's display name, or the id where the ERP does not know it.
func (p *people) name(ctx context.Context, auth Authenticator, tenant identity.Tenant, userID string) string {
	user, err := p.user(ctx, auth, tenant, userID)
	if err != nil {
		return userID
	}
	return user.DisplayName
}

// attempts slows down guessing: ten wrong passwords for one name lock it for
// five minutes after the last, in this process.
type attempts struct {
	mu    sync.Mutex
	wrong map[string]tries
	turns [64]sync.Mutex
}

// turn is the lock of a name; a few names share one.
func (a *attempts) turn(key string) *sync.Mutex {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key)) // never fails
	return &a.turns[h.Sum32()%uint32(len(a.turns))]
}

type tries struct {
	n    int
	last time.Time
}

const (
	triesMax    = 10
	triesFor    = 5 * time.Minute
	triesLength = 10_000
)

func (a *attempts) allowed(key string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.wrong[key]
	if time.Since(t.last) > triesFor {
		delete(a.wrong, key)
		return true
	}
	return t.n < triesMax
}

func (a *attempts) failed(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wrong == nil || len(a.wrong) >= triesLength {
		a.wrong = map[string]tries{}
	}
	t := a.wrong[key]
	a.wrong[key] = tries{t.n + 1, time.Now()}
}

func (a *attempts) succeeded(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.wrong, key)
}
