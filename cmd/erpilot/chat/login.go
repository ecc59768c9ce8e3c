package chat

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/erpilot/erpilot/cmd/erpilot/terminal"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// login is who chats, with the token that proves it.
type login struct {
	URL   string        `json:"url"`
	Token string        `json:"token"`
	User  identity.User `json:"user"`
}

// options are what the gateway offers before a login.
type options struct {
	Tenants []struct {
		BrandID      string    `json:"brand_id"`
		SubsidiaryID string    `json:"subsidiary_id"`
		Name         erp.Label `json:"name"`
	} `json:"tenants"`
	Model string `json:"model"`
	Demo  bool   `json:"demo"`
}

// enter logs in: by the remembered token if it still holds, else by password.
func (s *session) enter(ctx context.Context) error {
	if s.Remember {
		if kept, ok := s.remembered(); ok {
			s.api.token = kept.Token
			var me struct {
				User identity.User `json:"user"`
			}
			_, err := s.api.sure(ctx, http.MethodGet, "/api/me", nil, &me, "")
			if err == nil {
				s.accept(login{Token: kept.Token, User: me.User})
				return nil
			}
			if fault.CodeOf(err) != fault.Unauthenticated {
				return s.told(err)
			}
			s.api.token = ""
			s.forget()
		}
	}
	if err := s.whoAndWhere(ctx); err != nil {
		return err
	}
	return s.withPassword(ctx)
}

// whoAndWhere asks for what the flags left open.
func (s *session) whoAndWhere(ctx context.Context) error {
	if s.Brand == "" || s.Subsidiary == "" {
		var o options
		if _, err := s.api.sure(ctx, http.MethodGet, "/api/login/options", nil, &o, ""); err != nil {
			return s.told(err)
		}
		n := 0
		switch {
		case len(o.Tenants) == 0:
			return s.fail(fault.Unavailable, "chat.no_tenant")
		case len(o.Tenants) > 1 && !s.interactive:
			return s.fail(fault.Invalid, "chat.which_tenant")
		case len(o.Tenants) > 1:
			for i, t := range o.Tenants {
				s.line("%3d  %s (%s.%s)", i+1, t.Name.In(string(s.locale)), t.BrandID, t.SubsidiaryID)
			}
			answer, err := terminal.Ask(s.input, s.out, s.say("chat.ask_tenant"))
			if err != nil {
				return err
			}
			if n, err = strconv.Atoi(answer); err != nil || n < 1 || n > len(o.Tenants) {
				return s.fail(fault.Invalid, "chat.which_tenant")
			}
			n--
		}
		s.Brand, s.Subsidiary = o.Tenants[n].BrandID, o.Tenants[n].SubsidiaryID
	}
	if s.User == "" {
		if !s.interactive {
			return s.fail(fault.Invalid, "chat.which_user")
		}
		name, err := terminal.Ask(s.input, s.out, s.say("chat.ask_user"))
		if err != nil {
			return err
		}
		s.User = name
	}
	return nil
}

// withPassword asks for the password, three times where a person types it.
func (s *session) withPassword(ctx context.Context) error {
	tries := 1
	if s.interactive && os.Getenv("ERPILOT_PASSWORD") == "" {
		tries = 3
	}
	for {
		password, err := s.ask(s.say("password", "user", s.User))
		if err != nil {
			return err
		}
		var answer login
		_, err = s.api.do(ctx, http.MethodPost, "/api/login", map[string]string{"brand": s.Brand, "subsidiary": s.Subsidiary,
			"username": s.User, "password": password}, &answer, "")
		if tries--; fault.CodeOf(err) == fault.BadCredentials && tries > 0 {
			s.line("%s", s.told(err).Error())
			continue
		}
		if err != nil {
			return s.told(err)
		}
		s.accept(answer)
		if s.Remember {
			return s.keep()
		}
		return nil
	}
}

func (s *session) accept(l login) {
	s.login, s.login.URL = l, s.api.base
	s.api.token = l.Token
	s.Brand, s.Subsidiary, s.User = l.User.Tenant.BrandID, l.User.Tenant.SubsidiaryID, l.User.Username
	s.locale, s.zone = terminal.Language(s.Lang, l.User.Locale), terminal.Zone(l.User.TimeZone)
	s.api.locale = s.locale
}

func (s *session) file() string { return filepath.Join(s.config, "login.json") }

// remembered reads the kept login if it is for this gateway and this person, and
// if nobody else can read the file.
func (s *session) remembered() (l login, ok bool) {
	info, err := os.Stat(s.file())
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		return l, false
	}
	raw, err := os.ReadFile(s.file())
	if err != nil || json.Unmarshal(raw, &l) != nil || l.Token == "" || l.URL != s.api.base {
		return l, false
	}
	t := l.User.Tenant
	fits := func(flag, kept string) bool { return flag == "" || flag == kept }
	return l, fits(s.Brand, t.BrandID) && fits(s.Subsidiary, t.SubsidiaryID) && fits(s.User, l.User.Username)
}

// keep writes the login, readable by its owner alone, whole or not at all.
func (s *session) keep() error {
	raw, err := json.Marshal(s.login)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.config, 0o700); err != nil {
		return fmt.Errorf("remember the login: %w", err)
	}
	temp, err := os.CreateTemp(s.config, "login-*") // created 0600
	if err != nil {
		return fmt.Errorf("remember the login: %w", err)
	}
	_, err = temp.Write(raw)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), s.file())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("remember the login: %w", err), os.Remove(temp.Name()))
	}
	return nil
}

// forget removes the kept login, if it is this one's.
func (s *session) forget() {
	if s.Remember {
		_ = os.Remove(s.file()) // there may be none
	}
}

// logout ends the session at the gateway.
func (s *session) logout(ctx context.Context) error {
	s.forget()
	_, err := s.api.do(ctx, http.MethodPost, "/api/logout", nil, nil, "")
	return err
}

// lines feeds standard input to the loop, line by line.
func lines(ctx context.Context, in *bufio.Reader) <-chan string {
	out := make(chan string)
	go func() {
		defer close(out)
		for {
			line, err := in.ReadString('\n')
			if err != nil && line == "" {
				return
			}
			select {
			case out <- line:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}
