// A client of the Go SDK. It does what typescript/steps.mjs does, which says what a client is given and what it writes.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxLooks    = 400
	lookEvery   = 25 * time.Millisecond
	maxStepTime = 30 * time.Second // only for what would never end
)

type object = map[string]any

type target struct {
	Kind    string   `json:"kind"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	URL     string   `json:"url"`
}

type request struct {
	Target target  `json:"target"`
	Server *string `json:"server"`
}

type run struct {
	request
	session  *mcp.ClientSession
	mutex    sync.Mutex
	asked    []object
	progress chan object
}

func main() {
	r := &run{progress: make(chan object, 16)}
	if err := json.Unmarshal([]byte(os.Args[1]), &r.request); err != nil {
		fail(err)
	}
	if err := r.open(); err != nil {
		fail(err)
	}
	steps := []struct {
		name string
		do   func(context.Context) (any, error)
	}{
		{"list", r.list}, {"search", r.search}, {"describe", r.describe}, {"call", r.calls},
		{"resources", r.resources}, {"prompts", r.prompts}, {"elicitation", r.elicitation},
		{"sampling", r.sampling}, {"roots", r.roots}, {"progress", r.reportProgress},
		{"cancel", r.cancel}, {"restart", r.restart},
	}
	for _, step := range steps {
		ctx, done := context.WithTimeout(context.Background(), 2*maxStepTime)
		result, err := step.do(ctx)
		done()
		if err != nil {
			say(object{"step": step.name, "error": err.Error()})
		} else {
			say(object{"step": step.name, "result": result})
		}
	}
	r.session.Close()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func say(line object) {
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		fail(err)
	}
}

func (r *run) open() error {
	client := mcp.NewClient(&mcp.Implementation{Name: "interop", Version: "1.0.0"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, asked *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			r.hear("elicitation/create", asked.Params)
			content := object{"username": "ada", "email": "ada@example.org"}
			return &mcp.ElicitResult{Action: "accept", Content: content}, nil
		},
		CreateMessageHandler: func(_ context.Context, asked *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			r.hear("sampling/createMessage", asked.Params)
			content := &mcp.TextContent{Text: "Paris"}
			return &mcp.CreateMessageResult{Role: "assistant", Content: content, Model: "interop", StopReason: "endTurn"}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, told *mcp.ProgressNotificationClientRequest) {
			params := told.Params
			r.progress <- object{"progress": params.Progress, "total": params.Total, "message": params.Message}
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///interop", Name: "interop"})
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: r.Target.URL}
	if r.Target.Kind == "stdio" {
		transport = &mcp.CommandTransport{Command: exec.Command(r.Target.Command, r.Target.Args...)}
	}
	ctx, done := context.WithTimeout(context.Background(), maxStepTime)
	defer done()
	session, err := client.Connect(ctx, transport, nil)
	r.session = session
	return err
}

func (r *run) hear(method string, params any) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.asked = append(r.asked, object{"method": method, "params": params})
}

func (r *run) prefix() string {
	if r.Server == nil {
		return ""
	}
	return *r.Server + "__"
}

func (r *run) call(ctx context.Context, name string, args any) (*mcp.CallToolResult, error) {
	return r.session.CallTool(ctx, &mcp.CallToolParams{Name: r.prefix() + name, Arguments: args})
}

func textOf(result *mcp.CallToolResult) string {
	return result.Content[0].(*mcp.TextContent).Text
}

func all[T any](items iter.Seq2[*T, error]) ([]*T, error) {
	found := []*T{}
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		found = append(found, item)
	}
	return found, nil
}

func (r *run) tools(ctx context.Context) ([]*mcp.Tool, error) {
	tools, err := all(r.session.Tools(ctx, nil))
	own := []*mcp.Tool{}
	for _, tool := range tools {
		if name, isOwn := strings.CutPrefix(tool.Name, r.prefix()); isOwn {
			copied := *tool
			copied.Name = name
			own = append(own, &copied)
		}
	}
	return own, err
}

func (r *run) list(ctx context.Context) (any, error) { return r.tools(ctx) }

// One of Portico's own tools.
func (r *run) ownTool(ctx context.Context, name string, args, into any) error {
	result, err := r.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(textOf(result)), into)
}

func (r *run) findTool(ctx context.Context, is func(*mcp.Tool) bool) (*mcp.Tool, error) {
	tools, err := r.tools(ctx)
	if err != nil {
		return nil, err
	}
	for _, tool := range tools {
		if is(tool) {
			return tool, nil
		}
	}
	return nil, errors.New("the list has no such tool")
}

func (r *run) search(ctx context.Context) (any, error) {
	query := "Reports progress three times"
	if r.Server == nil {
		tool, err := r.findTool(ctx, func(tool *mcp.Tool) bool { return tool.Description == query })
		if err != nil {
			return nil, err
		}
		return object{"first": tool.Name}, nil
	}
	var found struct{ Capabilities []struct{ ID string } }
	if err := r.ownTool(ctx, "capability_search", object{"query": query}, &found); err != nil {
		return nil, err
	}
	if len(found.Capabilities) == 0 {
		return nil, errors.New("the search found nothing")
	}
	return object{"first": strings.TrimPrefix(found.Capabilities[0].ID, *r.Server+".")}, nil
}

func (r *run) describe(ctx context.Context) (any, error) {
	name := "json_schema_2020_12_tool"
	if r.Server == nil {
		tool, err := r.findTool(ctx, func(tool *mcp.Tool) bool { return tool.Name == name })
		if err != nil {
			return nil, err
		}
		return object{"description": tool.Description, "inputSchema": tool.InputSchema}, nil
	}
	var found struct {
		Capability struct {
			Description string
			InputSchema any `json:"input_schema"`
		}
	}
	err := r.ownTool(ctx, "capability_describe", object{"capability_id": *r.Server + "." + name}, &found)
	return object{"description": found.Capability.Description, "inputSchema": found.Capability.InputSchema}, err
}

func (r *run) calls(ctx context.Context) (any, error) {
	first, err := r.call(ctx, "greet", object{"name": "Ada ✓"})
	results := []any{first}
	for _, name := range []string{"test_multiple_content_types", "test_error_handling", "count_waits"} {
		if err != nil {
			return nil, err
		}
		var result *mcp.CallToolResult
		result, err = r.call(ctx, name, object{})
		results = append(results, result)
	}
	return results, err
}

func (r *run) resources(ctx context.Context) (any, error) {
	list, err := all(r.session.Resources(ctx, nil))
	if err != nil {
		return nil, err
	}
	templates, err := all(r.session.ResourceTemplates(ctx, nil))
	if err != nil {
		return nil, err
	}
	read := []any{}
	for _, uri := range []string{"test://static-text", "test://static-binary", "test://template/7/data"} {
		contents, err := r.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return nil, err
		}
		read = append(read, contents)
	}
	return object{"list": list, "templates": templates, "read": read}, nil
}

func (r *run) prompts(ctx context.Context) (any, error) {
	prompts, err := all(r.session.Prompts(ctx, nil))
	if err != nil {
		return nil, err
	}
	own := []*mcp.Prompt{}
	for _, prompt := range prompts {
		if name, isOwn := strings.CutPrefix(prompt.Name, r.prefix()); isOwn {
			copied := *prompt
			copied.Name = name
			own = append(own, &copied)
		}
	}
	plain, err := r.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: r.prefix() + "test_simple_prompt"})
	if err != nil {
		return nil, err
	}
	args := map[string]string{"arg1": "a", "arg2": "b"}
	params := &mcp.GetPromptParams{Name: r.prefix() + "test_prompt_with_arguments", Arguments: args}
	filled, err := r.session.GetPrompt(ctx, params)
	return object{"list": own, "plain": plain, "filled": filled}, err
}

// What the client was asked in the call, and what the server made of the answer.
func (r *run) ask(ctx context.Context, name string, args any) (any, error) {
	r.mutex.Lock()
	r.asked = []object{}
	r.mutex.Unlock()
	result, err := r.call(ctx, name, args)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return object{"asked": r.asked, "result": result}, err
}

func (r *run) elicitation(ctx context.Context) (any, error) {
	return r.ask(ctx, "test_elicitation", object{"message": "Who are you?"})
}

func (r *run) sampling(ctx context.Context) (any, error) {
	return r.ask(ctx, "test_sampling", object{"prompt": "What is the capital of France?"})
}

func (r *run) roots(ctx context.Context) (any, error) {
	return r.ask(ctx, "test_input_required_result_list_roots", object{})
}

func (r *run) reportProgress(ctx context.Context) (any, error) {
	params := &mcp.CallToolParams{Name: r.prefix() + "report_progress", Arguments: object{}}
	params.SetProgressToken("report")
	type answer struct {
		result *mcp.CallToolResult
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		result, err := r.session.CallTool(ctx, params)
		answered <- answer{result, err}
	}()
	seen := []object{}
	for len(seen) < 2 {
		select {
		case told := <-r.progress:
			seen = append(seen, told)
		case early := <-answered:
			return nil, fmt.Errorf("the call ended after %d of 2 reports: %v", len(seen), early.err)
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of 2 reports came", len(seen))
		}
	}
	if _, err := r.call(ctx, "finish_progress", object{}); err != nil {
		return nil, err
	}
	last := <-answered
	return object{"progress": seen, "result": last.result}, last.err
}

func (r *run) counted(ctx context.Context, isEnough func(map[string]int) bool) (map[string]int, error) {
	var waits map[string]int
	for look := range maxLooks {
		if look > 0 {
			time.Sleep(lookEvery)
		}
		result, err := r.call(ctx, "count_waits", object{})
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(textOf(result)), &waits); err != nil {
			return nil, err
		}
		if isEnough(waits) {
			break
		}
	}
	return waits, nil
}

func (r *run) cancel(ctx context.Context) (any, error) {
	call, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan string, 1)
	go func() {
		if _, err := r.call(call, "wait_for_cancel", object{}); err == nil {
			ended <- "answered"
		} else {
			ended <- "cancelled"
		}
	}()
	if _, err := r.counted(ctx, func(waits map[string]int) bool { return waits["waiting"] == 1 }); err != nil {
		return nil, err
	}
	cancel()
	how := <-ended
	seen, err := r.counted(ctx, func(waits map[string]int) bool { return waits["cancelled"] == 1 })
	return object{"call": how, "seen": seen}, err
}

func (r *run) greeting(ctx context.Context) (object, error) {
	result, err := r.call(ctx, "greet", object{"name": "Ada"})
	if err != nil {
		return nil, err
	}
	return object{"content": result.Content}, nil
}

func (r *run) restart(ctx context.Context) (any, error) {
	if r.Server == nil {
		return r.greeting(ctx)
	}
	say(object{"step": "restart", "waiting": true})
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return nil, err
	}
	short, done := context.WithTimeout(ctx, maxStepTime)
	defer done()
	if same, err := r.greeting(short); err == nil {
		return same, nil
	}
	r.session.Close()
	if err := r.open(); err != nil { // a session over HTTP ends with its server: 2025-11-25, "Session Management"
		return nil, err
	}
	again, err := r.greeting(ctx)
	if err != nil {
		return nil, err
	}
	again["afterConnectingAgain"] = true
	return again, nil
}
