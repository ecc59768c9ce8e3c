package chat

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/erpilot/erpilot/cmd/erpilot/terminal"
)

// Command is the command line of `erpilot chat`.
type Command struct {
	URL          string `name:"url" env:"ERPILOT_URL" help:"Where the gateway is; empty means the one of a running dev, else http://127.0.0.1:8700."`
	Brand        string `env:"ERPILOT_BRAND" help:"Your brand; asked for where there are several."`
	Subsidiary   string `env:"ERPILOT_SUBSIDIARY" help:"Your subsidiary."`
	User         string `env:"ERPILOT_USER" help:"Your user name. The password is asked for, or taken from ERPILOT_PASSWORD."`
	Remember     bool   `help:"Keep the login in a file that only you can read, and use it next time."`
	List         bool   `help:"List your conversations and leave."`
	Continue     bool   `short:"c" help:"Go on with the newest conversation instead of a new one."`
	Conversation string `placeholder:"ID" help:"Go on with this conversation."`
	Lang         string `enum:",zh,en" default:"" help:"zh or en; otherwise your own language at the ERP."`
}

// Run chats until the person leaves.
func (c *Command) Run(ctx context.Context) error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	config, err := os.UserConfigDir()
	if err != nil {
		config = "" // then nothing can be remembered
	}
	// An interrupt is ours to answer: it stops the turn first. Everything else
	// that ends ctx ends the chat.
	own, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	stop := context.AfterFunc(ctx, func() {
		if !strings.Contains(context.Cause(ctx).Error(), syscall.SIGINT.String()) {
			leave()
		}
	})
	defer stop()
	return c.run(own, env{in: os.Stdin, out: os.Stdout, interrupts: signals, interactive: terminal.IsTerminal(os.Stdin),
		config: filepath.Join(config, "erpilot"), now: time.Now,
		password: func(prompt string) (string, error) { return terminal.Password(os.Stdin, os.Stderr, prompt) }})
}

// env is the world around the chat; tests give their own.
type env struct {
	in         io.Reader
	out        io.Writer
	interrupts <-chan os.Signal
	// interactive says that a person types: prompts are shown, lines are taken
	// at any time.
	interactive bool
	// config is the directory of the remembered login.
	config   string
	password func(prompt string) (string, error)
	now      func() time.Time
}

// RunOver chats over a reader and a writer instead of a terminal, as in a pipe:
// it ends with the input, once everything has come to rest. The password is
// asked of the function.
func (c *Command) RunOver(ctx context.Context, in io.Reader, out io.Writer, password func(prompt string) (string, error)) error {
	return c.run(ctx, env{in: in, out: out, now: time.Now, password: password})
}
