package ui

import (
	"errors"

	"vkloader/internal/tool/fix"
)

// fixChange makes one step of "doctor --fix".
type fixChange struct{}

// Plan implements Change.
func (fixChange) Plan(r *Request) (*Plan, error) {
	step := r.Ref("step")
	if step == "" {
		return nil, errors.New("no step is named")
	}
	dry := r.Tool.Run(r, "doctor", "--fix", "--dry-run", "--step", step)
	if dry.Code > 1 || len(dry.Planned) == 0 {
		return nil, dry.Failed()
	}
	m, err := r.Tool.Machine()
	if err != nil {
		return nil, err
	}
	return &Plan{Title: step, Args: []string{"doctor", "--fix", "--yes", "--step", step}, Files: dry.Planned,
		Also: []string{fix.UndoFile(&m)}}, nil
}
