package approvals

import (
	"bufio"
	"context"
	"io"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/erpilot/erpilot/cmd/erpilot/terminal"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/text"
)

// Command is the command line of `erpilot approvals`.
type Command struct {
	List    ListCmd    `cmd:"" default:"withargs" help:"List what waits for a decision, soonest deadline first."`
	Show    ShowCmd    `cmd:"" help:"Show one operation: what would be written, and until when it can be decided."`
	Approve ApproveCmd `cmd:"" help:"Approve an operation; it is then written to the ERP."`
	Reject  RejectCmd  `cmd:"" help:"Reject an operation as someone who may decide it."`
	Cancel  CancelCmd  `cmd:"" help:"Cancel an operation that you asked for."`
}

// Login checks a name and a password at the ERP. Codes: bad_credentials, unavailable.
type Login func(ctx context.Context, tenant identity.Tenant, username, password string) (identity.User, error)

// Env is what the commands need from outside.
type Env struct {
	// Dial connects to Temporal; the caller of Dial closes. See the function Dial.
	Dial func(ctx context.Context) (client.Client, error)
	// Login is nil where no ERP can be reached: then only --unsigned decides.
	Login Login
	// Key signs decisions; the workers' own. Nil as Login.
	Key []byte
	In  io.Reader
	Out io.Writer
	// Password asks for a password. Defaults to ERPILOT_PASSWORD, then to In
	// without echo.
	Password func(prompt string) (string, error)
	// Lang is "zh" or "en"; anything else means the person's or the environment's.
	Lang string
	// Budget is how long an update or a query may take. Defaults to 5 s.
	Budget time.Duration
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

// session is one run of a command.
type session struct {
	*Env
	temporal client.Client
	in       *bufio.Reader
	locale   identity.Locale
	zone     *time.Location
}

// open connects; close ends it.
func (e *Env) open(ctx context.Context) (*session, error) {
	own := *e
	s := &session{Env: &own, in: bufio.NewReader(e.In), locale: terminal.Language(e.Lang, ""), zone: terminal.Zone("")}
	if s.Budget <= 0 {
		s.Budget = 5 * time.Second
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Password == nil {
		s.Password = func(prompt string) (string, error) { return terminal.Password(e.In, e.Out, prompt) }
	}
	var err error
	s.temporal, err = e.Dial(ctx)
	return s, err
}

func (s *session) close() { s.temporal.Close() }

func (s *session) say(key string, pairs ...string) string {
	params := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		params[pairs[i]] = terminal.Line(pairs[i+1])
	}
	return text.Terminal[key].In(s.locale, params)
}

func (s *session) clock(t time.Time) string { return terminal.Clock(t, s.zone) }

func (s *session) status(status operation.Status) string {
	return terminal.Word("status", string(status), s.locale)
}

// told is an error whose text is for the person; the cause is for errors.Is.
type told struct {
	text  string
	cause error
}

func (t *told) Error() string { return t.text }
func (t *told) Unwrap() error { return t.cause }
