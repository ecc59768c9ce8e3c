// Package planner
package planner

import (
	"context"
	"errors"
	"time"

	"github.com/tmc/langchaingo/llms"
)

const Name = "demo planner"

type Planner struct{ pace time.Duration }

func New(pace time.Duration) *Planner { return &Planner{pace} }

func (p *Planner) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return nil, errors.New("later")
}
func (p *Planner) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return "", errors.New("later")
}
