import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { languages } from "@wcs/domain/message/Language"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Effect } from "effect"
import { at, Service, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { dataOf, idsOf } from "../NewerSurface.ts"
import * as Row from "../Row.ts"

const settings = {
  ...{ enabled: true, timeOfDay: "06:30", weekday: "FRIDAY", language: "de" },
  ...{ tellsOfCards: false, tellsOfRequests: false, templates: {} }
}
const template = { subject: "{organization} <b>", text: "{items}\n\n{link}" }

layer(layerService(), { excludeTestServices: true })("messages", (it) => {
  it.effect("are disabled at first, and are changed as a whole, with an audit entry", () =>
    Effect.gen(function* () {
      const { tenant } = yield* Service
      const { token: viewer } = yield* tokenOf("Viewer")
      const put = "PUT /message-settings"
      const templates = { RED_TODAY: { subject: "{organization}", text: "{password}" } }
      yield* Row.run([
        {
          call: "GET /message-settings",
          as: viewer,
          expect: { "data.enabled": false, "data.isAvailable": true, "data.timeOfDay": "07:00", "data.templates": {} }
        },
        { call: put, as: viewer, body: settings, expect: "FORBIDDEN: UPDATE messages" },
        { call: put, body: { ...settings, templates }, expect: "INVALID_ARGUMENT" },
        { call: put, body: { ...settings, timeOfDay: "24:00" }, expect: "INVALID_ARGUMENT" },
        { call: put, body: { ...settings, language: "xx" }, expect: "INVALID_ARGUMENT" },
        { call: put, body: { ...settings, templates: { RED_TODAY: template } }, expect: { "data.enabled": true } },
        {
          call: "GET /message-settings",
          expect: {
            "data.weekday": "FRIDAY",
            "data.templates": { RED_TODAY: template },
            "data.standardTemplates.de": { ...languages.de.templates },
            "data.placeholders.REQUEST_CODE": ["organization", "date", "name", "code"]
          }
        }
      ])
      const [entries] = yield* Row.run([
        { call: `GET /audit-events?entityId=${tenant.id}&entityType=message`, expect: 200 }
      ])
      assert.deepStrictEqual(
        dataOf(entries).map((entry) => Object(entry).action),
        ["setSettings"]
      )
    })
  )

  it.effect("have settings and choices that nobody overwrites unseen, and whose changes the audit log shows", () =>
    Effect.gen(function* () {
      const { tenant } = yield* Service
      const first = { ...settings, templates: { RED_TODAY: template } }
      const second = { ...first, language: "en", templates: {} }
      const [, read] = yield* Row.run([
        { call: "PUT /message-settings", body: first, expect: 200 },
        { call: "GET /message-settings", expect: 200 }
      ])
      const seen = { "if-match": read?.headers["etag"] ?? "" }
      const put = { call: "PUT /message-settings", headers: seen }
      yield* Row.run([
        { ...put, body: second, expect: { "data.language": "en" } },
        { ...put, body: first, expect: "PRECONDITION_FAILED" },
        { call: "GET /message-settings", headers: seen, expect: "PRECONDITION_FAILED" }
      ])
      const user = yield* tokenOf("Data Manager")
      const [own] = yield* Row.run([{ call: "GET /me/messages", as: user.token, expect: 200 }])
      const choose = {
        ...{ call: "PUT /me/messages", as: user.token, body: { WEEKLY_DIGEST: false, RED_TODAY: true } },
        headers: { "if-match": own?.headers["etag"] ?? "" }
      }
      yield* Row.run([
        { ...choose, expect: 200 },
        { ...choose, expect: "PRECONDITION_FAILED" }
      ])
      const log = (id: string) => ({
        call: `GET /audit-events?entityId=${id}&entityType=message&include=changes&pageSize=1`,
        expect: 200
      })
      const [changed, chosen] = yield* Row.run([log(tenant.id), log(accountIdOf(user.urn))])
      assert.deepStrictEqual(at(changed, "data.0.changes"), [
        { field: "language", before: "de", after: "en" },
        { field: "templates.RED_TODAY.subject", before: template.subject, after: null },
        { field: "templates.RED_TODAY.text", before: template.text, after: null }
      ])
      assert.deepStrictEqual(at(chosen, "data.0.changes"), [{ field: "WEEKLY_DIGEST", before: true, after: false }])
    })
  )

  it.effect("are shown before they are sent, with the stored words or with others", () =>
    Effect.gen(function* () {
      const { tenant } = yield* Service
      const preview = "POST /message-settings/preview"
      const [, , shown] = yield* Row.run([
        { call: "PUT /message-settings", body: { ...settings, language: "en" }, expect: 200 },
        {
          call: preview,
          body: { kind: "RED_TODAY", template: { ...template, text: "{nothing}" } },
          expect: "INVALID_ARGUMENT"
        },
        { call: preview, body: { kind: "RED_TODAY", template }, expect: { "data.subject": `${tenant.name} <b>` } },
        { call: preview, body: { kind: "RED_TODAY" }, expect: 200 },
        {
          call: preview,
          body: { kind: "REQUEST_DECIDED", language: "de" },
          expect: { "data.subject": `${tenant.name}: zu Ihrer Antwort` }
        },
        { call: preview, body: { kind: "NEWSLETTER" }, expect: "INVALID_ARGUMENT" }
      ])
      assert.include(String(at(shown, "data.text")), "- Jane Example\n\nhttps://")
    })
  )

  it.effect("go to the caller as a sample, at most 20 a day", () =>
    Effect.gen(function* () {
      const admin = yield* tokenOf("Admin")
      const test = { call: "POST /message-settings/sample", as: admin.token, body: { kind: "WEEKLY_DIGEST" } }
      const id = accountIdOf(admin.urn)
      yield* Row.run([{ ...test, expect: { "data.recipient.id": id, "data.state": "QUEUED", "data.attempts": 0 } }])
      yield* Row.run(Array.from({ length: 19 }, () => ({ ...test, expect: 200 })))
      yield* Row.run([{ ...test, expect: "INVALID_ARGUMENT" }])
      const [page, file] = yield* Row.run([
        { call: `GET /messages?recipientId=${id}&pageSize=100&kind=WEEKLY_DIGEST`, expect: 200 },
        { call: `GET /messages?recipientId=${id}`, headers: { accept: "text/csv" }, expect: 200 },
        { call: `GET /messages?recipientId=${id}&state=ACCEPTED`, expect: { "data.0": undefined } }
      ])
      assert.lengthOf(idsOf(page), 20)
      assert.include(file?.text, `,${id},`)
    })
  )

  it.effect("are sent again on request if they were refused, and not otherwise", () =>
    Effect.gen(function* () {
      const { refused } = yield* Service
      const { token: viewer, urn } = yield* tokenOf("Viewer")
      const id = yield* refused(accountIdOf(urn))
      const call = `POST /messages/${id}/resend`
      yield* Row.run([
        { call: "POST /messages/msg_0000000000000000/resend", expect: "NOT_FOUND" },
        { call: "POST /messages/msg_0/resend", expect: "INVALID_ARGUMENT" },
        { call, as: viewer, expect: "FORBIDDEN: UPDATE messages" },
        { call, expect: { "data.id": id, "data.state": "QUEUED", "data.reply": "550 No such user" } },
        { call, expect: "UNPROCESSABLE" }
      ])
    })
  )

  it.effect("to people are shown to callers who may also read people, cards and requests", () =>
    Effect.gen(function* () {
      const { refused } = yield* Service
      const person = yield* worker()
      const toPerson = yield* refused(person)
      const toUser = yield* refused(accountIdOf((yield* tokenOf("Viewer")).urn))
      const reads = ["worker:READ", "applicant:READ", "credential:READ", "captureRequest:READ"] as const
      const { token: whole } = yield* tokenOf(["message:READ", ...reads, "credentialCheck:READ"])
      const { token: part } = yield* tokenOf(["message:READ", ...reads])
      const list = "GET /messages?pageSize=100&state=REFUSED"
      const [all, some, mine] = yield* Row.run([
        { call: list, as: whole, expect: 200 },
        { call: list, as: part, expect: 200 },
        { call: `${list}&recipientId=${person}`, as: part, expect: 200 }
      ])
      assert.includeMembers([...idsOf(all)], [toPerson, toUser])
      assert.include(idsOf(some), toUser)
      assert.notInclude(idsOf(some), toPerson)
      assert.deepStrictEqual(idsOf(mine), [])
      yield* Row.run([
        {
          call: `GET /messages?recipientId=${person}`,
          expect: { "data.0.recipient": { type: "worker", id: person }, "data.0.state": "REFUSED" }
        }
      ])
    })
  )

  it.effect("are chosen by each user, also by one who may not read them", () =>
    Effect.gen(function* () {
      const limited = yield* tokenOf(["credential:UPDATE"])
      const own = { WEEKLY_DIGEST: false, RED_TODAY: true }
      yield* Row.run([
        { call: "GET /messages", as: limited.token, expect: "FORBIDDEN: READ messages" },
        { call: "GET /me/messages", as: limited.token, expect: { "data.WEEKLY_DIGEST": true, "data.RED_TODAY": true } },
        { call: "PUT /me/messages", as: limited.token, body: { RED_TODAY: true }, expect: "INVALID_ARGUMENT" },
        { call: "PUT /me/messages", as: limited.token, body: own, expect: { "data.WEEKLY_DIGEST": false } },
        {
          call: "GET /me/messages",
          as: limited.token,
          expect: { "data.WEEKLY_DIGEST": false, "data.RED_TODAY": true }
        },
        { call: "GET /me/messages", expect: { "data.WEEKLY_DIGEST": true } }
      ])
    })
  )
})

layer(layerService(undefined, {}, { WCS_MESSAGES: "off" }), { excludeTestServices: true })("without messages", (it) => {
  it.effect("a tenant can neither enable them nor send a sample, and can read their settings", () =>
    Row.run([
      { call: "GET /message-settings", expect: { "data.enabled": false, "data.isAvailable": false } },
      { call: "PUT /message-settings", body: settings, expect: "INVALID_ARGUMENT" },
      { call: "PUT /message-settings", body: { ...settings, enabled: false }, expect: { "data.enabled": false } },
      { call: "POST /message-settings/sample", body: { kind: "RED_TODAY" }, expect: "INVALID_ARGUMENT" },
      { call: "GET /messages", expect: { "data.0": undefined } }
    ])
  )
})

const folder = mkdtempSync(join(tmpdir(), "wcs-messages-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const inFolder = { WCS_MESSAGES: "folder", WCS_MESSAGES_FROM: "wcs@example.org", WCS_MESSAGES_FOLDER: folder }

/** The text of the first message of a kind, once it was accepted. */
const arrived = Effect.fnUntraced(function* (query: string, which = "data.0.id") {
  const { call } = yield* Service
  const read = call({ method: "GET", path: `/openapi/v1/messages?state=ACCEPTED&${query}` })
  const page = yield* Effect.repeat(read, { until: (answer) => at(answer, which) !== undefined })
  return readFileSync(join(folder, `${idsOf(page)[0]}.eml`), "utf8")
})

layer(layerService(undefined, {}, inFolder), { excludeTestServices: true })("messages that are sent", (it) => {
  it.effect("arrive as a sample, and as a digest of what is open on its day, once, in the language of the tenant", () =>
    Effect.gen(function* () {
      const { advance, now } = yield* Service
      const holder = yield* worker()
      const expiryDate = dayAt((yield* now) + 20 * 86_400_000, defaultTimeZone)
      const sample = { call: "POST /message-settings/sample", body: { kind: "RED_TODAY" }, expect: 200 }
      yield* Row.run([
        {
          call: "POST /credentials",
          body: { attributes: { credentialType: "FIRST_AID", expiryDate, owners: { worker: holder } } },
          expect: 201
        },
        sample
      ])
      assert.include(yield* arrived("kind=RED_TODAY"), "Jane Example")
      const everyDay = { ...settings, timeOfDay: "00:00" }
      yield* Row.run([{ call: "PUT /message-settings", body: everyDay, expect: 200 }])
      yield* advance(8 * 86_400)
      // A change of the settings lets the worker look for rounds at once.
      const again = { call: "PUT /message-settings", body: everyDay, expect: 200 }
      yield* Row.run([again])
      const digest = yield* arrived("kind=WEEKLY_DIGEST")
      assert.include(digest, "in 30 Tagen ab.")
      assert.match(digest, /^Am \d+\. /m)
      assert.include(digest, "Content-Language: de")
      assert.include(digest, "To: super@example.org")
      yield* Row.run([again, sample])
      yield* arrived("kind=RED_TODAY", "data.1.id")
      yield* Row.run([{ call: "GET /messages?kind=WEEKLY_DIGEST", expect: { "data.1": undefined } }])
    })
  )

  it.effect("that find no address mark the person, for callers who may read the person and no messages", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const asking = { ...settings, timeOfDay: "00:00", tellsOfRequests: true }
      const [, person] = yield* Row.run([
        { call: "PUT /message-settings", body: asking, expect: 200 },
        { call: "POST /workers", body: { identity: { displayName: "Ann" } }, expect: 201 }
      ])
      const id = at(person, "data.id")
      const { token: as } = yield* tokenOf(["worker:READ"])
      const read = { call: `GET /workers/${id}`, as }
      const [before] = yield* Row.run([
        { ...read, expect: { "data.unreachable": undefined } },
        { call: "POST /fetch-requests", body: { worker: { id }, requestedCredentialTypes: ["FIRST_AID"] }, expect: 201 }
      ])
      const ended = call({ method: "GET", path: `/openapi/v1/messages?state=NO_ADDRESS&recipientId=${id}` })
      yield* Effect.repeat(ended, { until: (answer) => at(answer, "data.0.id") !== undefined })
      const having = (answer: typeof before) => ({ headers: { "if-none-match": answer?.headers["etag"] ?? "" } })
      const [, marked] = yield* Row.run([
        { call: "GET /messages", as, expect: "FORBIDDEN: READ messages" },
        { ...read, ...having(before), expect: { "data.unreachable": true } },
        { call: `GET /workers/${id}?include=credentials`, expect: { "data.unreachable": true } },
        { call: "GET /workers?unreachable=true", as, expect: { "data.0.id": id, "data.0.unreachable": undefined } }
      ])
      const contact = { workEmail: "ann@example.org" }
      yield* Row.run([
        { ...read, ...having(marked), expect: 304 },
        {
          ...{ call: `PUT /workers/${id}`, headers: { "if-match": before?.headers["etag"] ?? "" } },
          ...{ body: Object(marked?.json).data, expect: { "data.unreachable": undefined } }
        },
        { ...read, expect: { "data.unreachable": true } },
        { call: `PATCH /workers/${id}`, body: { contact }, expect: { "data.unreachable": undefined } },
        { ...read, ...having(marked), expect: { "data.unreachable": undefined } }
      ])
    })
  )

  it.effect("about a request make it SENT, and remind of it once by themselves before its end", () =>
    Effect.gen(function* () {
      const { advance } = yield* Service
      const asking = { ...settings, timeOfDay: "00:00", tellsOfRequests: true, reminderDays: 3 }
      const put = { call: "PUT /message-settings", body: asking, expect: 200 }
      const [, person] = yield* Row.run([
        put,
        {
          call: "POST /workers",
          body: { identity: { displayName: "Ann" }, contact: { workEmail: "ann@example.org" } },
          expect: 201
        }
      ])
      const requested = {
        worker: { id: at(person, "data.id") },
        requestedCredentialTypes: ["FIRST_AID"],
        expiryDays: 14
      }
      const [made] = yield* Row.run([{ call: "POST /fetch-requests", body: requested, expect: 201 }])
      const about = `aboutId=${at(made, "data.id")}`
      yield* arrived(`kind=REQUEST&${about}`)
      const read = `GET /fetch-requests/${at(made, "data.id")}`
      const [sent] = yield* Row.run([{ call: read, expect: { "data.status": "SENT", "data.remindedAt": undefined } }])
      assert.isString(at(sent, "data.sentAt"))
      yield* advance(12 * 86_400)
      yield* Row.run([put])
      yield* arrived(`kind=REQUEST_REMINDER&${about}`)
      const [reminded] = yield* Row.run([{ call: read, expect: { "data.sentAt": at(sent, "data.sentAt") } }])
      assert.isString(at(reminded, "data.remindedAt"))
      yield* advance(86_400)
      yield* Row.run([put, { call: "POST /message-settings/sample", body: { kind: "REQUEST_CODE" }, expect: 200 }])
      yield* arrived("kind=REQUEST_CODE")
      yield* Row.run([{ call: `GET /messages?${about}&kind=REQUEST_REMINDER`, expect: { "data.1": undefined } }])
    })
  )
})
