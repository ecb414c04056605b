package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
)

// Client is a connection of the tool's commands to a service. It sends one request at a time.
type Client struct {
	conn *Conn
	next uint64
}

// Dial connects to the service's socket.
func Dial(path string) (*Client, error) {
	socket, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		return nil, err
	}
	return &Client{conn: On(socket)}, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Ask sends a request, waits for the reply and stores it in ok; an error of the service is an *Error. The caller owns
// the attached descriptors, which are in the order of their names.
func (c *Client) Ask(r Request, ok any) (files []*os.File, err error) {
	c.next++
	id := c.next
	r.ID = &id
	frame, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if err := c.conn.Send(frame, 0); err != nil {
		return nil, err
	}
	answer, files, err := c.conn.Receive()
	if err != nil {
		return nil, err
	}
	var reply Reply
	err = json.Unmarshal(answer, &reply)
	switch {
	case err != nil:
	case reply.ID != id:
		err = fmt.Errorf("an answer to request %d, to %d there is none", reply.ID, id)
	case reply.Error != nil:
		err = reply.Error
	case len(reply.FDs) != len(files):
		err = errors.New("the descriptors are not those that the answer names")
	case ok != nil:
		err = json.Unmarshal(reply.OK, ok)
	}
	if err != nil {
		Discard(files)
		return nil, err
	}
	return files, nil
}
