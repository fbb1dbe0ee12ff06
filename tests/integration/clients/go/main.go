// clients WRITER READER OPERATIONS FIRST_ID [TOKEN]: asks for everything by the client that oapi-codegen
// made, and finds each answer to be what it should. Prints what was asked and answered, an exchange a line:
// method, path, status, content type. FIRST_ID and the ids behind it are nobody's yet.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"fanfold.example/clients/fanfold"
)

const (
	reachedTimeout = time.Minute
	requestTimeout = 30 * time.Second
	unreached      = "0:999999999999"
)

var (
	background  = context.Background()
	waitMs      = 10_000
	readWaitMs  = 5_000
	waitDecided = fanfold.WaitForDecided
)

type telling struct{}

func (telling) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		fmt.Println(request.Method, request.URL.EscapedPath(), response.StatusCode,
			response.Header.Get("Content-Type"))
	}
	return response, err
}

func clientOf(url, token string) *fanfold.ClientWithResponses {
	options := []fanfold.ClientOption{
		fanfold.WithHTTPClient(&http.Client{Transport: telling{}, Timeout: requestTimeout})}
	if token != "" {
		options = append(options, fanfold.WithRequestEditorFn(
			func(_ context.Context, request *http.Request) error {
				request.Header.Set("Authorization", "Bearer "+token)
				return nil
			}))
	}
	client, err := fanfold.NewClientWithResponses(url, options...)
	must(err)
	return client
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func expect(got, wanted any) {
	if !reflect.DeepEqual(got, wanted) {
		panic(fmt.Sprintf("%#v, not %#v", got, wanted))
	}
}

// What an answer's field for a status and content type holds.
func answered[Response interface{ StatusCode() int }, Body any](
	response Response, err error, status int, body func(Response) *Body) *Body {
	must(err)
	if response.StatusCode() != status || body(response) == nil {
		panic(fmt.Sprintf("%d, not %d: %s", response.StatusCode(), status,
			reflect.ValueOf(response).Elem().FieldByName("Body").Bytes()))
	}
	return body(response)
}

func refused(problem *fanfold.Problem, status int, code string) {
	expect(problem.Status, status)
	expect(problem.Code, code)
}

func idsOf(page *fanfold.List) []string {
	ids := []string{}
	for _, item := range page.Items {
		ids = append(ids, item.UserId)
	}
	return ids
}

func keysOf(posts []fanfold.Post) []string {
	keys := []string{}
	for _, post := range posts {
		keys = append(keys, post.PostId)
	}
	return keys
}

func inBody(id string) (of fanfold.UserIdInBody) {
	must(of.FromUserId(id))
	return of
}

func asInteger(id string) (of fanfold.UserIdInBody) {
	number, err := strconv.ParseInt(id, 10, 64)
	must(err)
	must(of.FromUserIdAsInteger(number))
	return of
}

type everything struct {
	writer, reader, operations *fanfold.ClientWithResponses
	readerURL, token           string
	ann, bo, cy                string
	first, second              string
	position                   fanfold.Positions
}

// Asks once the reader knows what was written last, however long the machine stands still.
func read[Response interface{ StatusCode() int }, Body any](
	ask func() (Response, error), body func(Response) *Body) *Body {
	deadline := time.Now().Add(reachedTimeout)
	for {
		response, err := ask()
		if err != nil || response.StatusCode() != http.StatusConflict || time.Now().After(deadline) {
			return answered(response, err, http.StatusOK, body)
		}
	}
}

// Where the writer put it, which the header says too.
func (e *everything) wrote(position fanfold.Positions, header fanfold.Positions) {
	expect(header, position)
	e.position = position
}

func (e *everything) askService() {
	for _, client := range []*fanfold.ClientWithResponses{e.writer, e.reader, e.operations} {
		health, err := client.HealthzWithResponse(background)
		expect(answered(health, err, 200, func(r *fanfold.HealthzResponse) *fanfold.Health { return r.JSON200 }).Status,
			fanfold.Ok)
		ready, err := client.ReadyzWithResponse(background)
		expect(answered(ready, err, 200, func(r *fanfold.ReadyzResponse) *fanfold.Health { return r.JSON200 }).Status,
			fanfold.Ready)
	}
	metrics, err := e.operations.MetricsWithResponse(background)
	must(err)
	expect(strings.Contains(string(metrics.Body), "fanfold_"), true)
	level, err := e.operations.LogLevelWithResponse(background)
	now := answered(level, err, 200, func(r *fanfold.LogLevelResponse) *fanfold.LogLevel { return r.JSON200 })
	set, err := e.operations.SetLogLevelWithResponse(background, *now)
	expect(answered(set, err, 200, func(r *fanfold.SetLogLevelResponse) *fanfold.LogLevel { return r.JSON200 }), now)
	for _, client := range []*fanfold.ClientWithResponses{e.writer, e.reader} {
		page, err := client.RootWithResponse(background)
		must(err)
		expect(page.StatusCode(), 200)
		api, err := client.OpenapiWithResponse(background)
		document := answered(api, err, 200, func(r *fanfold.OpenapiResponse) *interface{} { return r.YAML200 })
		expect((*document).(map[string]any)["openapi"], "3.0.3")
	}
	projections, err := e.reader.ProjectionsWithResponse(background, nil)
	there := answered(projections, err, 200,
		func(r *fanfold.ProjectionsResponse) *fanfold.Projections { return r.JSON200 })
	expect(len(there.Projections) >= 5, true)
	for _, one := range there.Projections {
		expect(!one.Read || one.State == fanfold.ProjectionStateRunning, true)
	}
}

type change struct {
	Position, Subject, Object string
	id, kind                  string
}

// The next change of a stream that is read as it comes.
func nextChange(lines *bufio.Scanner) (next change) {
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			next.id = value
		case "event":
			next.kind = value
		case "data":
			must(json.Unmarshal([]byte(value), &next))
			return next
		}
	}
	panic(fmt.Sprint("the stream ended: ", lines.Err()))
}

func (e *everything) listen() {
	asked := fanfold.ChangesParams{User: &e.ann,
		Types: &[]fanfold.ChangeType{fanfold.ChangeTypeFollowed, fanfold.ChangeTypeUnfollowed}}
	stream, err := e.reader.Changes(background, &asked)
	must(err)
	expect(stream.StatusCode, 200)
	lines := bufio.NewScanner(stream.Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "id: ") {
	}
	e.followed(e.ann, e.bo, fanfold.DecidedOutcomeFollowed)
	told := nextChange(lines)
	must(stream.Body.Close())
	expect([]string{told.kind, told.Object, told.Position}, []string{"followed", e.bo, e.position})
	e.followed(e.bo, e.ann, fanfold.DecidedOutcomeFollowed)
	asked.LastEventID = &told.id
	stream, err = e.reader.Changes(background, &asked)
	must(err)
	told = nextChange(bufio.NewScanner(stream.Body))
	must(stream.Body.Close())
	expect([]string{told.kind, told.Subject, told.Position}, []string{"followed", e.bo, e.position})
}

func (e *everything) followed(subject, object string, outcome fanfold.DecidedOutcome) {
	response, err := e.writer.FollowWithResponse(background, subject, object,
		&fanfold.FollowParams{Wait: &waitDecided, TimeoutMs: &waitMs})
	decided := answered(response, err, 200, func(r *fanfold.FollowResponse) *fanfold.Decided { return r.JSON200 })
	expect(decided.Outcome, outcome)
	e.wrote(decided.Position, response.Headers200.FanfoldPosition)
}

func (e *everything) writeRelations() {
	e.followed(e.ann, e.bo, fanfold.DecidedOutcomeUnchanged)
	response, err := e.writer.FollowWithResponse(background, e.cy, e.bo, nil)
	logged := answered(response, err, 202, func(r *fanfold.FollowResponse) *fanfold.Logged { return r.JSON202 })
	e.wrote(logged.Position, response.Headers202.FanfoldPosition)
	e.countsOf(e.cy)
	at := int64(1) << 62
	batch := fanfold.Batch{Events: make([]fanfold.Batch_Events_Item, 3)}
	must(batch.Events[0].FromBatchEvent(fanfold.BatchEvent{
		Type: fanfold.Follow, Subject: inBody(e.cy), Object: inBody(e.ann)}))
	must(batch.Events[1].FromBatchEvent(fanfold.BatchEvent{
		Type: fanfold.Follow, Subject: asInteger(e.bo), Object: asInteger(e.cy), At: &at}))
	must(batch.Events[2].FromNoEvent(map[string]string{"type": "nothing"}))
	appended, err := e.writer.AppendEventsWithResponse(background, batch)
	results := answered(appended, err, 202,
		func(r *fanfold.AppendEventsResponse) *fanfold.BatchResults { return r.JSON202 }).Results
	expect(len(results), 3)
	for _, result := range results[:2] {
		event, err := result.AsLogged()
		must(err)
		e.position = event.Position
		e.countsOf(e.cy)
	}
	wrong, err := results[2].AsBatchError()
	must(err)
	expect(wrong.Code, fanfold.BatchErrorCodeInvalidArgument)
}

func (e *everything) countsOf(user string) *fanfold.Counts {
	return read(func() (*fanfold.CountsResponse, error) {
		return e.reader.CountsWithResponse(background, user, &fanfold.CountsParams{
			FanfoldMinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.CountsResponse) *fanfold.Counts {
		expect(r.Headers200 == nil || *r.Headers200.FanfoldLagMs >= 0, true)
		return r.JSON200
	})
}

func (e *everything) following(params fanfold.FollowingParams) *fanfold.List {
	params.MinPosition, params.TimeoutMs = &e.position, &readWaitMs
	return read(func() (*fanfold.FollowingResponse, error) {
		return e.reader.FollowingWithResponse(background, e.bo, &params)
	}, func(r *fanfold.FollowingResponse) *fanfold.List { return r.JSON200 })
}

func (e *everything) readRelations() {
	one, offset, profile := 1, 1, fanfold.ExpansionProfile
	page := e.following(fanfold.FollowingParams{Limit: &one, Viewer: &e.ann, Expand: &profile})
	expect(idsOf(page), []string{e.cy})
	expect(*page.Items[0].Relation, fanfold.RelationFollowedBy)
	expect(page.Items[0].Since, int64(1)<<62)
	expect(page.Items[0].Profile == nil, true)
	page = e.following(fanfold.FollowingParams{Limit: &one, Viewer: &e.ann, Cursor: page.NextCursor})
	expect(idsOf(page), []string{e.ann})
	expect(*page.Items[0].Relation, fanfold.RelationSelf)
	expect(page.NextCursor == nil, true)
	expect(idsOf(e.following(fanfold.FollowingParams{Offset: &offset})), []string{e.ann})
	fans := idsOf(read(func() (*fanfold.FansResponse, error) {
		return e.reader.FansWithResponse(background, e.bo,
			&fanfold.FansParams{MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.FansResponse) *fanfold.List { return r.JSON200 }))
	slices.Sort(fans)
	expect(fans, []string{e.ann, e.cy})
	expect(idsOf(e.friends(nil)), []string{e.bo})
	expect(idsOf(read(func() (*fanfold.CommonFollowingResponse, error) {
		return e.reader.CommonFollowingWithResponse(background, e.ann,
			&fanfold.CommonFollowingParams{With: e.cy, MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.CommonFollowingResponse) *fanfold.List { return r.JSON200 })), []string{e.bo})
	expect(idsOf(read(func() (*fanfold.KnownFansResponse, error) {
		return e.reader.KnownFansWithResponse(background, e.bo,
			&fanfold.KnownFansParams{Viewer: e.cy, MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.KnownFansResponse) *fanfold.List { return r.JSON200 })), []string{e.ann})
	expect(*e.countsOf(e.bo), fanfold.Counts{UserId: e.bo, Following: 2, Fans: 2, Friends: 2})
	many := read(func() (*fanfold.CountsOfManyResponse, error) {
		return e.reader.CountsOfManyWithResponse(background, &fanfold.CountsOfManyParams{
			Ids: []string{e.bo, e.cy}, MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.CountsOfManyResponse) *fanfold.CountsOfMany { return r.JSON200 })
	expect([]int64{many.Items[0].Fans, many.Items[1].Fans}, []int64{2, 1})
	e.readRelationsBetween()
	e.readExport()
}

func (e *everything) friends(expand *fanfold.Expansion) *fanfold.List {
	return read(func() (*fanfold.FriendsResponse, error) {
		return e.reader.FriendsWithResponse(background, e.ann, &fanfold.FriendsParams{
			Expand: expand, MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.FriendsResponse) *fanfold.List { return r.JSON200 })
}

func (e *everything) readRelationsBetween() {
	one := read(func() (*fanfold.RelationResponse, error) {
		return e.reader.RelationWithResponse(background, e.ann, e.bo, &fanfold.RelationParams{
			MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.RelationResponse) *fanfold.RelationTo { return r.JSON200 })
	expect(*one, fanfold.RelationTo{UserId: e.bo, Relation: fanfold.RelationFriend})
	some := read(func() (*fanfold.RelationsResponse, error) {
		return e.reader.RelationsWithResponse(background, e.ann, &fanfold.RelationsParams{
			To: []string{e.bo, e.cy}, MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.RelationsResponse) *fanfold.Relations { return r.JSON200 })
	expect(some.Items, []fanfold.RelationTo{
		{UserId: e.bo, Relation: fanfold.RelationFriend}, {UserId: e.cy, Relation: fanfold.RelationFollowedBy}})
	many := read(func() (*fanfold.RelationsOfManyResponse, error) {
		return e.reader.RelationsOfManyWithResponse(background, e.ann, &fanfold.RelationsOfManyParams{
			MinPosition: &e.position, TimeoutMs: &readWaitMs},
			fanfold.Targets{To: []fanfold.UserIdInBody{inBody(e.bo), asInteger(e.ann)}})
	}, func(r *fanfold.RelationsOfManyResponse) *fanfold.Relations { return r.JSON200 })
	expect(many.Items, []fanfold.RelationTo{
		{UserId: e.bo, Relation: fanfold.RelationFriend}, {UserId: e.ann, Relation: fanfold.RelationSelf}})
	suggested := read(func() (*fanfold.SuggestionsResponse, error) {
		return e.reader.SuggestionsWithResponse(background, e.ann, &fanfold.SuggestionsParams{
			MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.SuggestionsResponse) *fanfold.Suggestions { return r.JSON200 })
	expect(suggested.Items, []fanfold.Suggestion{{UserId: e.cy, Score: 1, Via: []string{e.bo}}})
}

// Line by line, as it comes.
func (e *everything) readExport() {
	stream, err := e.reader.ExportFans(background, e.bo, &fanfold.ExportFansParams{
		MinPosition: &e.position, TimeoutMs: &readWaitMs})
	must(err)
	expect(stream.StatusCode, 200)
	fans := []string{}
	for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
		var fan fanfold.ListedUser
		must(json.Unmarshal(lines.Bytes(), &fan))
		fans = append(fans, fan.UserId)
	}
	must(stream.Body.Close())
	slices.Sort(fans)
	expect(fans, []string{e.ann, e.cy})
}

func (e *everything) refuse() {
	much, soon, noCursor, far := 201, 1, "x", unreached
	for _, wrong := range []struct {
		params fanfold.FollowingParams
		status int
		code   string
		of     func(*fanfold.FollowingResponse) *fanfold.Problem
	}{
		{fanfold.FollowingParams{Limit: &much}, 400, "invalid_argument",
			func(r *fanfold.FollowingResponse) *fanfold.Problem { return r.ApplicationproblemJSON400 }},
		{fanfold.FollowingParams{Cursor: &noCursor}, 400, "invalid_cursor",
			func(r *fanfold.FollowingResponse) *fanfold.Problem { return r.ApplicationproblemJSON400 }},
		{fanfold.FollowingParams{MinPosition: &far, TimeoutMs: &soon}, 409, "position_not_reached",
			func(r *fanfold.FollowingResponse) *fanfold.Problem { return r.ApplicationproblemJSON409 }},
	} {
		response, err := e.reader.FollowingWithResponse(background, e.ann, &wrong.params)
		refused(answered(response, err, wrong.status, wrong.of), wrong.status, wrong.code)
	}
	response, err := e.writer.FollowWithResponse(background, e.ann, e.ann, nil)
	refused(answered(response, err, 422, func(r *fanfold.FollowResponse) *fanfold.Problem {
		return r.ApplicationproblemJSON422
	}), 422, "self_follow")
	batch := fanfold.Batch{Events: make([]fanfold.Batch_Events_Item, 1001)}
	for n := range batch.Events {
		must(batch.Events[n].FromNoEvent(nil))
	}
	appended, err := e.writer.AppendEventsWithResponse(background, batch)
	refused(answered(appended, err, 422, func(r *fanfold.AppendEventsResponse) *fanfold.Problem {
		return r.ApplicationproblemJSON422
	}), 422, "batch_too_large")
	post, err := e.reader.GetPostWithResponse(background, e.ann, "1", nil)
	refused(answered(post, err, 404, func(r *fanfold.GetPostResponse) *fanfold.Problem {
		return r.ApplicationproblemJSON404
	}), 404, "not_found")
	changes, err := e.reader.ChangesWithResponse(background, &fanfold.ChangesParams{From: &noCursor})
	refused(answered(changes, err, 400, func(r *fanfold.ChangesResponse) *fanfold.Problem {
		return r.ApplicationproblemJSON400
	}), 400, "invalid_argument")
	if e.token != "" {
		counts, err := clientOf(e.readerURL, "nobodys").CountsWithResponse(background, e.ann, nil)
		refused(answered(counts, err, 401, func(r *fanfold.CountsResponse) *fanfold.Problem {
			return r.ApplicationproblemJSON401
		}), 401, "unauthenticated")
		expect(strings.HasPrefix(*counts.Headers401.WWWAuthenticate, "Bearer"), true)
	}
}

func (e *everything) userNow(id string) *fanfold.User {
	return read(func() (*fanfold.UserResponse, error) {
		return e.reader.UserWithResponse(background, id, &fanfold.UserParams{
			MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.UserResponse) *fanfold.User { return r.JSON200 })
}

func (e *everything) writeProfile() {
	name, verified, profile := "Bo", true, fanfold.ExpansionProfile
	response, err := e.writer.SetProfileWithResponse(background, e.bo,
		fanfold.NewProfile{Name: &name, Verified: &verified})
	logged := answered(response, err, 202,
		func(r *fanfold.SetProfileResponse) *fanfold.LoggedOfUser { return r.JSON202 })
	e.wrote(logged.Position, response.Headers202.FanfoldPosition)
	batch := fanfold.UserBatch{Events: make([]fanfold.UserBatch_Events_Item, 2)}
	must(batch.Events[0].FromUserBatchEvent(fanfold.UserBatchEvent{
		Type: fanfold.ProfileSet, User: inBody(e.bo), Name: &name, Verified: &verified}))
	must(batch.Events[1].FromNoEvent(nil))
	appended, err := e.writer.AppendUserEventsWithResponse(background, batch)
	results := answered(appended, err, 202,
		func(r *fanfold.AppendUserEventsResponse) *fanfold.UserBatchResults { return r.JSON202 }).Results
	set, err := results[0].AsLoggedOfUser()
	must(err)
	wrong, err := results[1].AsUserBatchError()
	must(err)
	expect(wrong.Code, fanfold.UserBatchErrorCodeInvalidArgument)
	e.position = set.Position
	there := e.userNow(e.bo)
	expect(*there.Profile, fanfold.Profile{Name: &name, Verified: true})
	expect(there.Erase == nil && !there.Deleted && there.Friends == 2, true)
	several := read(func() (*fanfold.UsersResponse, error) {
		return e.reader.UsersWithResponse(background, &fanfold.UsersParams{
			Ids: []string{e.bo, e.cy}, MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.UsersResponse) *fanfold.Users { return r.JSON200 })
	expect(several.Items[0].Profile.Name, &name)
	expect(several.Items[1].Profile == nil, true)
	expect(e.friends(&profile).Items[0].Profile.Name, &name)
}

func (e *everything) postsNow(limit *int, cursor *string) *fanfold.Posts {
	return read(func() (*fanfold.PostsResponse, error) {
		return e.reader.PostsWithResponse(background, e.bo, &fanfold.PostsParams{
			Limit: limit, Cursor: cursor, MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.PostsResponse) *fanfold.Posts { return r.JSON200 })
}

func (e *everything) postNow(author, id string) *fanfold.Post {
	return read(func() (*fanfold.GetPostResponse, error) {
		return e.reader.GetPostWithResponse(background, author, id, &fanfold.GetPostParams{
			MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.GetPostResponse) *fanfold.Post { return r.JSON200 })
}

func (e *everything) writePosts() {
	third := e.bo + "2"
	e.first, e.second = e.bo+"0", e.bo+"1"
	firstID, kind, at, later, content := inBody(e.first), 7, int64(1), int64(2), "second"
	response, err := e.writer.PostWithResponse(background, e.bo,
		&fanfold.PostParams{Wait: &waitDecided, TimeoutMs: &waitMs},
		fanfold.NewPost{Content: "first", PostId: &firstID, Type: &kind, At: &at})
	decided := answered(response, err, 200,
		func(r *fanfold.PostResponse) *fanfold.DecidedPost { return r.JSON200 })
	expect(decided.Outcome, fanfold.DecidedPostOutcomePosted)
	expect(*decided.Score, at)
	e.wrote(decided.Position, response.Headers200.FanfoldPosition)
	response, err = e.writer.PostWithResponse(background, e.ann, nil, fanfold.NewPost{})
	logged := answered(response, err, 202, func(r *fanfold.PostResponse) *fanfold.LoggedPost { return r.JSON202 })
	e.wrote(logged.Position, response.Headers202.FanfoldPosition)
	expect(e.postNow(e.ann, *logged.PostId).Content, "")

	secondID, thirdID := asInteger(e.second), inBody(third)
	batch := fanfold.PostBatch{Events: make([]fanfold.PostBatch_Events_Item, 3)}
	must(batch.Events[0].FromPostBatchEvent(fanfold.PostBatchEvent{Type: fanfold.PostBatchEventTypePost,
		Author: inBody(e.bo), PostId: &secondID, Content: &content, At: &later}))
	must(batch.Events[1].FromPostBatchEvent(fanfold.PostBatchEvent{Type: fanfold.PostBatchEventTypePost,
		Author: inBody(e.bo), PostId: &thirdID, Content: &content}))
	must(batch.Events[2].FromNoEvent(nil))
	appended, err := e.writer.AppendPostEventsWithResponse(background, &fanfold.AppendPostEventsParams{}, batch)
	results := answered(appended, err, 202,
		func(r *fanfold.AppendPostEventsResponse) *fanfold.PostBatchResults { return r.JSON202 }).Results
	last, err := results[1].AsLoggedPost()
	must(err)
	wrong, err := results[2].AsPostBatchError()
	must(err)
	expect(wrong.Code, fanfold.PostBatchErrorCodeInvalidArgument)
	e.position = last.Position
	expect(keysOf(e.postsNow(nil, nil).Items), []string{third, e.second, e.first})
	e.deletePost(third)
}

func (e *everything) deletePost(id string) {
	response, err := e.writer.DeletePostWithResponse(background, e.bo, id,
		&fanfold.DeletePostParams{Wait: &waitDecided, TimeoutMs: &waitMs})
	decided := answered(response, err, 200,
		func(r *fanfold.DeletePostResponse) *fanfold.DecidedPost { return r.JSON200 })
	expect(decided.Outcome, fanfold.DecidedPostOutcomePostDeleted)
	e.wrote(decided.Position, response.Headers200.FanfoldPosition)
	one := 1
	page := e.postsNow(&one, nil)
	expect(keysOf(page.Items), []string{e.second})
	expect(keysOf(e.postsNow(&one, page.NextCursor).Items), []string{e.first})
	expect(*e.postNow(e.bo, e.first),
		fanfold.Post{Author: e.bo, PostId: e.first, Score: 1, Type: 7, Content: "first"})
}

func (e *everything) feedNow(params fanfold.FeedParams) *fanfold.Feed {
	params.MinPosition, params.TimeoutMs = &e.position, &readWaitMs
	return read(func() (*fanfold.FeedResponse, error) {
		return e.reader.FeedWithResponse(background, e.ann, &params)
	}, func(r *fanfold.FeedResponse) *fanfold.Feed { return r.JSON200 })
}

func (e *everything) latestNow() []string {
	return keysOf(read(func() (*fanfold.LatestResponse, error) {
		return e.reader.LatestWithResponse(background, e.ann, &fanfold.LatestParams{
			MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.LatestResponse) *fanfold.Posts { return r.JSON200 }).Items)
}

func (e *everything) readFeed() {
	profile, self, friends := fanfold.ExpansionProfile, fanfold.InclusionSelf, fanfold.Friends
	page := e.feedNow(fanfold.FeedParams{Expand: &profile})
	expect(keysOf(page.Items), []string{e.second, e.first})
	expect(*page.Items[0].Profile.Name, "Bo")
	expect(page.HasOlder || page.HasNewer, false)
	expect(e.feedNow(fanfold.FeedParams{After: page.After}).After, page.After)
	expect(len(e.feedNow(fanfold.FeedParams{Include: &self, Of: &friends}).Items), 3)
	missed := read(func() (*fanfold.UnreadResponse, error) {
		return e.reader.UnreadWithResponse(background, e.ann, &fanfold.UnreadParams{
			Since: page.After, MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.UnreadResponse) *fanfold.Unread { return r.JSON200 })
	expect(*missed, fanfold.Unread{Count: 1, More: false})
	expect(e.latestNow(), []string{e.second})
	response, err := e.writer.ShownWithResponse(background, e.ann, fanfold.Shown{
		Items: []fanfold.ShownPost{{Author: inBody(e.bo), PostId: inBody(e.second)}}})
	logged := answered(response, err, 202, func(r *fanfold.ShownResponse) *fanfold.LoggedOfFeed { return r.JSON202 })
	e.wrote(logged.Position, response.Headers202.FanfoldPosition)
	expect(e.latestNow(), []string{})
	expect(keysOf(read(func() (*fanfold.HistoryResponse, error) {
		return e.reader.HistoryWithResponse(background, e.ann, &fanfold.HistoryParams{
			MinPosition: &e.position, TimeoutMs: &readWaitMs})
	}, func(r *fanfold.HistoryResponse) *fanfold.Posts { return r.JSON200 }).Items), []string{e.second})
}

func (e *everything) end() {
	removed, err := e.writer.RemoveFanWithResponse(background, e.bo, e.cy,
		&fanfold.RemoveFanParams{Wait: &waitDecided, TimeoutMs: &waitMs})
	expect(answered(removed, err, 200, func(r *fanfold.RemoveFanResponse) *fanfold.Decided { return r.JSON200 }).Outcome,
		fanfold.DecidedOutcomeUnfollowed)
	unfollowed, err := e.writer.UnfollowWithResponse(background, e.ann, e.bo,
		&fanfold.UnfollowParams{Wait: &waitDecided, TimeoutMs: &waitMs})
	expect(answered(unfollowed, err, 200, func(r *fanfold.UnfollowResponse) *fanfold.Decided { return r.JSON200 }).Outcome,
		fanfold.DecidedOutcomeUnfollowed)
	ended, err := e.writer.DeleteUserWithResponse(background, e.cy)
	logged := answered(ended, err, 202,
		func(r *fanfold.DeleteUserResponse) *fanfold.LoggedOfUser { return r.JSON202 })
	e.wrote(logged.Position, ended.Headers202.FanfoldPosition)
	there := e.userNow(e.cy)
	expect(there.Deleted && there.Profile == nil, true)
	expect(*there.Erase == fanfold.EraseRunning || *there.Erase == fanfold.EraseDone, true)
	restored, err := e.writer.RestoreUserWithResponse(background, e.cy)
	logged = answered(restored, err, 202,
		func(r *fanfold.RestoreUserResponse) *fanfold.LoggedOfUser { return r.JSON202 })
	e.wrote(logged.Position, restored.Headers202.FanfoldPosition)
	expect(e.userNow(e.cy).Deleted, false)
}

func main() {
	writer, reader, operations, first := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	token := ""
	if len(os.Args) > 5 {
		token = os.Args[5]
	}
	firstID, err := strconv.Atoi(first)
	must(err)
	e := everything{
		writer: clientOf(writer, token), reader: clientOf(reader, token), operations: clientOf(operations, token),
		readerURL: reader, token: token,
		ann: strconv.Itoa(firstID), bo: strconv.Itoa(firstID + 1), cy: strconv.Itoa(firstID + 2)}
	for _, step := range []func(){e.askService, e.listen, e.writeRelations, e.readRelations, e.refuse,
		e.writeProfile, e.writePosts, e.readFeed, e.end} {
		step()
	}
}
