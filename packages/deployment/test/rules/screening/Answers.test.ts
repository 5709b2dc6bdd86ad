import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import type { PrivilegeName } from "@wcs/domain/access/Privilege"
import { defaultRateLimits } from "@wcs/domain/access/RateLimitTier"
import { documentLimits } from "@wcs/domain/document/Document"
import { answerIdOf } from "@wcs/domain/screening/Answer"
import { Effect } from "effect"
import { addFile, begin, certificate, cookieIn, look, noticeOf, policeCheck, press } from "../../Answering.ts"
import {
  applicant,
  at,
  credential,
  fetchRequest,
  otherHost,
  recruitmentCheck,
  Service,
  screeningPackage,
  textAt,
  tokenOf,
  unit,
  worker
} from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { dataOf } from "../NewerSurface.ts"
import * as Row from "../Row.ts"

const nsw = {
  "WWCC_NSW.identifier": "wwc 123 4567 e",
  "WWCC_NSW.expiryDate": "2031-01-31",
  "holder.lastName": "Nguyen",
  "holder.birthDate": "1990-02-03",
  consent: "yes"
}

const pdf = "%PDF-1.7\n% A card.\nstartxref\n9\n%%EOF\n"

const police = "POLICE_CHECK_INTERNATIONAL"

const unknown = `/answer/${"a".repeat(43)}`

/** A request to a new worker, with a link. */
const asked = Effect.fnUntraced(function* (requestedCredentialTypes = ["WWCC_NSW"], fields = {}) {
  const { answerLink } = yield* Service
  const workerId = yield* worker({ identity: { displayName: "Secret Name" } })
  const id = yield* fetchRequest({ id: workerId }, { requestedCredentialTypes, ...fields })
  const request = { type: "captureRequest", id } as const
  return { workerId, request, link: yield* answerLink(request), answerId: answerIdOf(id) }
})

layer(layerService(), { excludeTestServices: true })("the page of a request", (it) => {
  it.effect("takes an answer, which an officer approves: the card is created and verified", () =>
    Effect.gen(function* () {
      const { answerId, link, request, workerId } = yield* asked(["WWCC_NSW"], { message: "Please answer soon" })
      const first = yield* look({ link, cookie: "" })
      assert.strictEqual(first.status, 200)
      assert.include(first.text, "Working With Children Check (New South Wales)")
      assert.notInclude(first.text, "Please answer soon")
      const device = yield* begin(link)
      const form = yield* look(device)
      assert.include(form.text, "Please answer soon")
      const summary = yield* press(device, "check", nsw)
      assert.include(summary.text, "wwc 123 4567 e".toUpperCase().replaceAll(" ", ""))
      yield* Row.run([{ call: `GET /answers/${answerId}`, expect: "NOT_FOUND" }])
      assert.strictEqual((yield* press(device, "send", nsw)).status, 303)
      const [shown] = yield* Row.run([
        {
          call: `GET /answers?requestId=${request.id}`,
          expect: { "data.0.state": "WAITING", "data.0.worker.id": workerId }
        },
        {
          call: `GET /tasks?workerId=${workerId}`,
          expect: { "data.0.reason": "ANSWER_WAITING", "data.0.answer.id": answerId }
        },
        { call: `GET /credentials?ownerType=worker&ownerId=${workerId}`, expect: { "data.0": undefined } }
      ])
      assert.include(String(at(shown, "data.0.consent.text")), "I agree that")
      assert.include((yield* look(device)).text, "Your answer was sent")
      yield* press(device, "send", { ...nsw, "holder.lastName": "Ngo" })
      const [, , after] = yield* Row.run([
        {
          call: `POST /answers/${answerId}/approve`,
          expect: { "data.state": "APPROVED", "data.credentials.0.credentialType": "WWCC_NSW" }
        },
        { call: `POST /answers/${answerId}/reject`, body: { reason: "too late" }, expect: "UNPROCESSABLE" },
        {
          call: `GET /credentials?ownerType=worker&ownerId=${workerId}`,
          expect: {
            "data.0.attributes.identifier": "WWC1234567E",
            "data.0.attributes.holder.lastName": "Ngo",
            "data.1": undefined
          }
        },
        { call: `POST /answers/${answerId}/approve`, expect: "UNPROCESSABLE" },
        { call: `GET /credentials?ownerType=worker&ownerId=${workerId}`, expect: { "data.1": undefined } },
        { call: `GET /tasks?workerId=${workerId}&reason=ANSWER_WAITING`, expect: { "data.0": undefined } }
      ])
      const [entries, checks] = yield* Row.run([
        { call: `GET /audit-events?entityId=${answerId}`, expect: 200 },
        { call: `GET /credentials/${textAt(after, "data.0.id")}`, expect: 200 }
      ])
      assert.sameMembers(
        dataOf(entries).map((entry) => String(Object(entry).action)),
        ["submit", "submit", "approve", "complete"]
      )
      assert.notStrictEqual(at(checks, "data.attributes.eligibility"), undefined)
    })
  )

  it.effect("lets the person answer again after a rejection, and shows the reason to the bound device only", () =>
    Effect.gen(function* () {
      const { answerId, link } = yield* asked(["FIRST_AID"])
      const device = yield* begin(link)
      yield* press(device, "send", certificate)
      const [read] = yield* Row.run([{ call: `GET /answers/${answerId}`, expect: 200 }])
      yield* press(device, "send", { ...certificate, "FIRST_AID.identifier": "HLT-2" })
      yield* Row.run([
        {
          call: `POST /answers/${answerId}/reject`,
          headers: { "if-match": read?.headers["etag"] ?? "" },
          body: { reason: "The number is wrong" },
          expect: "PRECONDITION_FAILED"
        },
        { call: `POST /answers/${answerId}/reject`, body: { reason: "" }, expect: "INVALID_ARGUMENT" },
        {
          call: `POST /answers/${answerId}/reject`,
          body: { reason: "The number is wrong" },
          expect: { "data.state": "REJECTED", "data.decision.reason": "The number is wrong" }
        },
        { call: `POST /answers/${answerId}/approve`, expect: "UNPROCESSABLE" }
      ])
      assert.include((yield* look(device)).text, "The number is wrong")
      assert.notInclude((yield* look({ link, cookie: "" })).text, "The number is wrong")
      yield* press(device, "send", { ...certificate, "FIRST_AID.identifier": "HLT-3" })
      yield* Row.run([
        { call: `GET /answers/${answerId}`, expect: { "data.state": "WAITING", "data.decision": undefined } }
      ])
    })
  )

  it.effect("corrects the card of the same number, and the one whose details were wrong", () =>
    Effect.gen(function* () {
      const { recordVerdict } = yield* Service
      const { answerId, link, workerId } = yield* asked()
      const wrong = yield* credential({ worker: workerId }, { credentialType: "WWCC_NSW", identifier: "WWC7654321E" })
      yield* recordVerdict(wrong, { eligibility: "MAY_NOT_ENGAGE", statusDetail: "NOT_FOUND" })
      yield* press(yield* begin(link), "send", nsw)
      yield* Row.run([
        { call: `GET /answers/${answerId}`, expect: { "data.targets.0.credential.id": wrong } },
        { call: `POST /answers/${answerId}/approve`, expect: { "data.credentials.0.id": wrong } },
        { call: `GET /credentials/${wrong}`, expect: { "data.attributes.identifier": "WWC1234567E" } }
      ])
    })
  )

  it.effect("threat 85: is not approved over a card that was changed since the officer read the answer", () =>
    Effect.gen(function* () {
      const { answerId, link, workerId } = yield* asked()
      yield* press(yield* begin(link), "send", nsw)
      const [read] = yield* Row.run([
        { call: `GET /answers/${answerId}`, expect: { "data.targets.0.credential": null } }
      ])
      const approve = (answer: typeof read) => ({
        call: `POST /answers/${answerId}/approve`,
        body: { targets: at(answer, "data.targets") }
      })
      const card = yield* credential({ worker: workerId }, { credentialType: "WWCC_NSW", identifier: "WWC1234567E" })
      const [, again] = yield* Row.run([
        { ...approve(read), expect: "PRECONDITION_FAILED: WWCC_NSW" },
        { call: `GET /answers/${answerId}`, expect: { "data.state": "WAITING", "data.targets.0.credential.id": card } },
        { call: `PATCH /credentials/${card}`, body: { attributes: { cardType: "Employee" } }, expect: 200 }
      ])
      const [, last] = yield* Row.run([
        { ...approve(again), expect: "PRECONDITION_FAILED: WWCC_NSW" },
        { call: `GET /answers/${answerId}`, expect: { "data.state": "WAITING" } }
      ])
      yield* Row.run([{ ...approve(last), expect: { "data.credentials.0.id": card } }])
    })
  )

  it.effect("takes the answer of an applicant to a recruitment check", () =>
    Effect.gen(function* () {
      const { answerLink } = yield* Service
      const code = yield* screeningPackage({ requirements: { credentialTypes: ["FIRST_AID"] } })
      const person = yield* applicant()
      const id = yield* recruitmentCheck({ id: person }, code)
      const link = yield* answerLink({ type: "credentialCheck", id })
      yield* press(yield* begin(link), "send", certificate)
      yield* Row.run([
        { call: `GET /answers?applicantId=${person}&state=WAITING`, expect: { "data.0.id": answerIdOf(id) } },
        { call: `POST /answers/${answerIdOf(id)}/approve`, expect: { "data.state": "APPROVED" } },
        {
          call: `GET /credentials?ownerType=applicant&ownerId=${person}`,
          expect: { "data.0.attributes.identifier": "HLT-1" }
        }
      ])
    })
  )

  it.effect("names every wrong field, stores nothing without consent, and takes no type that was not asked for", () =>
    Effect.gen(function* () {
      const { answerId, link } = yield* asked()
      const device = yield* begin(link)
      const { consent: _, ...without } = nsw
      for (const [fields, told] of [
        [without, "without your consent"],
        [{ ...nsw, "WWCC_NSW.identifier": "123" }, "must be WWC with 7 digits"],
        [{ ...nsw, "holder.birthDate": "2999-01-01" }, "must not be in the future"],
        [{ ...nsw, "holder.lastName": "" }, "is required"],
        [certificate, "at least one card"]
      ] as const) {
        const answer = yield* press(device, "send", fields)
        assert.strictEqual(answer.status, 400, told)
        assert.include(answer.text, told)
      }
      yield* Row.run([{ call: `GET /answers/${answerId}`, expect: "NOT_FOUND" }])
    })
  )

  it.effect("takes a photo with a sent answer, which moves to the card, and no file of another form", () =>
    Effect.gen(function* () {
      const { answerId, link } = yield* asked(["FIRST_AID"])
      const device = yield* begin(link)
      const upload = (name: string, content: string, cookie = device.cookie) =>
        addFile({ link, cookie }, { name, content })
      yield* upload("early.pdf", pdf)
      yield* press(device, "send", certificate)
      assert.notInclude((yield* look(device)).text, "early.pdf")
      assert.strictEqual((yield* upload("card.pdf", pdf)).status, 303)
      assert.include((yield* look(device)).text, "card.pdf")
      yield* upload("stranger.pdf", pdf, "")
      assert.strictEqual((yield* upload("page.pdf", "<script>alert(1)</script>")).status, 400)
      assert.notInclude((yield* look(device)).text, "stranger.pdf")
      // Larger than what a caller may hold in memory, and almost the most of a document.
      const large = `%PDF-1.7\n${"x".repeat(documentLimits.bytes - 30)}startxref\n9\n%%EOF\n`
      assert.strictEqual((yield* upload("large.pdf", large)).status, 303)
      assert.strictEqual((yield* upload("larger.pdf", `${large}${" ".repeat(30)}`)).status, 400)
      const [approved] = yield* Row.run([{ call: `POST /answers/${answerId}/approve`, expect: 200 }])
      const card = textAt(approved, "data.credentials.0.id")
      yield* Row.run([
        {
          call: `GET /credentials/${card}/documents`,
          expect: { "data.documents.0.name": "large.pdf", "data.documents.1.name": "card.pdf" }
        },
        { call: `GET /answers/${answerId}/documents`, expect: { "data.documents": [] } }
      ])
    })
  )

  it.effect("moves each file to the card that the person named, and leaves a file of a card that was taken back", () =>
    Effect.gen(function* () {
      const { answerId, link } = yield* asked(["FIRST_AID", police])
      const device = yield* begin(link)
      yield* press(device, "send", { ...certificate, ...policeCheck })
      const upload = (name: string, card: string) => addFile(device, { name, card, content: pdf })
      assert.include((yield* look(device)).text, `<option lang="en" value="${police}">`)
      for (const card of ["", "WWCC_NSW"]) assert.strictEqual((yield* upload("no.pdf", card)).status, 400, card)
      for (const [name, card] of [
        ["aid.pdf", "FIRST_AID"],
        ["cpr.pdf", police]
      ] as const) {
        assert.strictEqual((yield* upload(name, card)).status, 303)
      }
      yield* Row.run([
        {
          call: `GET /answers/${answerId}/documents`,
          expect: {
            "data.documents.0.name": "cpr.pdf",
            "data.documents.0.card": police,
            "data.documents.1.card": "FIRST_AID",
            "data.documents.2": undefined
          }
        }
      ])
      yield* press(device, "send", certificate)
      const [approved] = yield* Row.run([{ call: `POST /answers/${answerId}/approve`, expect: 200 }])
      const card = textAt(approved, "data.credentials.0.id")
      yield* Row.run([
        {
          call: `GET /credentials/${card}/documents`,
          expect: {
            "data.documents.0.name": "aid.pdf",
            "data.documents.0.card": undefined,
            "data.documents.1": undefined
          }
        },
        {
          call: `GET /answers/${answerId}/documents`,
          expect: { "data.documents.0.name": "cpr.pdf", "data.documents.1": undefined }
        }
      ])
    })
  )

  it.effect(
    "threat 94: shows the files of an answer to who may read it, before the decision, and each look is audited",
    () =>
      Effect.gen(function* () {
        const { answerId, link } = yield* asked(["FIRST_AID"])
        const [device, other] = [yield* begin(link), yield* asked(["FIRST_AID"])]
        yield* press(device, "send", certificate)
        yield* addFile(device, { name: "card.pdf", content: pdf })
        const colleague = yield* begin(other.link)
        yield* press(colleague, "send", certificate)
        const [files] = yield* Row.run([{ call: `GET /answers/${answerId}/documents`, expect: 200 }])
        const file = textAt(files, "data.documents.0.id")
        const documents = `GET /answers/${answerId}/documents`
        const [outside, cards] = [
          yield* tokenOf({ role: "Data Manager", units: [yield* unit()] }),
          yield* tokenOf(["credential:READ"])
        ]
        const [looked] = yield* Row.run([
          { call: `${documents}/${file}`, expect: 200 },
          { call: documents, as: outside.token, expect: "NOT_FOUND" },
          { call: `${documents}/${file}`, as: outside.token, expect: "NOT_FOUND" },
          { call: `${documents}/${file}`, as: cards.token, expect: "FORBIDDEN: READ answers" },
          { call: `${documents}/no`, expect: "INVALID_ARGUMENT: documentId" },
          { call: `GET /answers/${other.answerId}/documents/${file}`, expect: "NOT_FOUND" }
        ])
        assert.strictEqual(looked?.text, pdf)
        assert.strictEqual(looked?.headers["content-disposition"]?.startsWith("attachment;"), true)
        for (const [id, action] of [
          [file, "look"],
          [answerId, "lookDocument"]
        ] as const) {
          yield* Row.run([
            {
              call: `GET /audit-events?entityId=${id}&action=${action}`,
              expect: { "data.0.action": action, "data.1": undefined }
            }
          ])
        }
        yield* press(colleague, "remove", { file })
        const approve = `POST /answers/${answerId}/approve`
        yield* Row.run([
          { call: documents, expect: { "data.documents.0.id": file } },
          { call: approve, body: { documents: [] }, expect: "PRECONDITION_FAILED" },
          { call: `GET /answers/${answerId}`, expect: { "data.state": "WAITING" } },
          { call: approve, body: { documents: [file] }, expect: { "data.state": "APPROVED" } }
        ])
        assert.include((yield* addFile(device, { name: "late.pdf", content: pdf })).text, "This request has ended")
        assert.notInclude((yield* look(device)).text, "late.pdf")
      })
  )

  it.effect("threat 83: shows what was entered as text", () =>
    Effect.gen(function* () {
      const { link } = yield* asked(["FIRST_AID"])
      const device = yield* begin(link)
      const markup = '"><script>alert(1)</script>'
      const { text } = yield* press(device, "check", { ...certificate, "FIRST_AID.identifier": markup })
      assert.notInclude(text, "<script>alert")
      assert.include(text, "&lt;script&gt;")
    })
  )

  it.effect("threat 81: answers 404 alike for unknown and ended links and for those of another tenant", () =>
    Effect.gen(function* () {
      const { link, request } = yield* asked()
      const device = yield* begin(link)
      const known = yield* look({ link: unknown, cookie: "" })
      assert.strictEqual(known.status, 404)
      const shapeOf = ({ headers, status, text }: typeof known) => {
        const {
          date: _,
          "x-request-id": __,
          "x-ratelimit-remaining": ___,
          "x-ratelimit-reset": ____,
          ...others
        } = headers
        return { headers: others, status, text }
      }
      const same = (answer: typeof known) => assert.deepStrictEqual(shapeOf(answer), shapeOf(known))
      same(yield* look({ link: "/answer/short", cookie: "" }))
      same(yield* look(device, { host: otherHost }))
      same(yield* press(device, "send", nsw, { host: otherHost }))
      assert.include((yield* press({ ...device, cookie: "" }, "send", nsw)).text, "another device")
      yield* Row.run([{ call: `POST /fetch-requests/${request.id}/cancel`, expect: 200 }])
      same(yield* look({ link, cookie: "" }))
      same(yield* press({ link, cookie: "" }, "code"))
      for (const answer of [yield* look(device), yield* press(device, "send", nsw)]) {
        assert.include(answer.text, "This request has ended")
      }
    })
  )

  it.effect("ends with the last day of the request", () =>
    Effect.gen(function* () {
      const { advance, answerLink } = yield* Service
      const { link, request } = yield* asked(["FIRST_AID"], { expiryDays: 1 })
      const device = yield* begin(link)
      yield* advance(3 * 86_400)
      assert.include((yield* press(device, "send", certificate)).text, "This request has ended")
      yield* Row.run([{ call: `GET /answers?requestId=${request.id}`, expect: { "data.0": undefined } }])
      assert.strictEqual(yield* answerLink(request), "")
      yield* Row.run([{ call: `POST /fetch-requests/${request.id}/resend`, expect: 200 }])
      assert.strictEqual((yield* look(device)).status, 200)
    })
  )

  it.effect("threat 82: binds a link to the first device, and a further one by a code that few tries may guess", () =>
    Effect.gen(function* () {
      const { advance, answerCode } = yield* Service
      const { link, request } = yield* asked(["FIRST_AID"], { message: "only for you" })
      yield* look({ link, cookie: "" }) // a mail scanner binds nothing
      const device = yield* begin(link)
      yield* press(device, "send", certificate)
      const stranger = { link, cookie: "" }
      for (const step of ["open", "check", "edit", "nothing"]) {
        const { headers, text } = yield* press(stranger, step, certificate)
        assert.notInclude(text, "only for you")
        assert.notInclude(text, "HLT-1")
        const cookie = cookieIn(headers)
        if (cookie !== "") assert.notInclude((yield* look({ link, cookie })).text, "HLT-1")
      }
      // The words of the notice are no secret: a colleague knows their key.
      const key = yield* noticeOf(device)
      const forged = yield* press(stranger, "send", { "FIRST_AID.identifier": "HLT-9", consent: key })
      assert.include(forged.text, "another device")
      assert.include((yield* look(device)).text, "HLT-1")
      assert.strictEqual(yield* answerCode(request), "")
      const asking = { link, cookie: cookieIn((yield* press(stranger, "code")).headers) }
      const code = yield* answerCode(request)
      assert.match(code, /^\d{8}$/)
      const wrong = code === "00000000" ? "00000001" : "00000000"
      assert.strictEqual((yield* press(stranger, "device", { code })).status, 400, "a device that did not ask")
      for (let tries = 0; tries < 5; tries++) {
        assert.strictEqual((yield* press(asking, "device", { code: wrong })).status, 400)
      }
      assert.strictEqual((yield* press(asking, "device", { code })).status, 400)
      yield* advance(61)
      yield* press(asking, "code")
      const [old, next] = [yield* answerCode(request), yield* answerCode(request)]
      assert.notStrictEqual(old, next)
      const entered = yield* press(asking, "device", { code: `${old.slice(0, 4)} ${old.slice(4)}` })
      assert.strictEqual(entered.status, 303)
      assert.include((yield* look(asking)).text, "HLT-1")
      assert.notInclude((yield* look(device)).text, "HLT-1", "the device before")
      assert.include((yield* press(device, "send", certificate)).text, "another device")
      yield* press(asking, "leave")
      assert.notInclude((yield* look(asking)).text, "HLT-1", "a device that was left")
      assert.strictEqual(cookieIn((yield* press(stranger, "open")).headers) === "", false)
      assert.include((yield* look(stranger)).text, "another device")
      yield* advance(61)
      yield* press(asking, "code")
      const late = yield* answerCode(request)
      yield* advance(16 * 60)
      assert.strictEqual((yield* press(asking, "device", { code: late })).status, 400)
    })
  )

  it.effect("speaks the language of the organization, unless the browser names only another one, and keeps which", () =>
    Effect.gen(function* () {
      const { answerId, link } = yield* asked()
      const inLanguage = (language: string) => look(device, { headers: { "accept-language": language } })
      const device = yield* begin(link)
      for (const [accepted, lang] of [
        ["en-GB,de;q=0.9", "en"],
        ["de-DE,de;q=0.9,en;q=0.8", "en"],
        ["de-AT,fr;q=0.9", "de"],
        ["fr", "en"],
        ["*", "en"]
      ] as const) {
        assert.include((yield* inLanguage(accepted)).text, `<html lang="${lang}">`, accepted)
      }
      const { text } = yield* inLanguage("de")
      const consent = /name="consent"[^>]* value="([0-9a-f]{32})"/.exec(text)?.[1] ?? ""
      assert.notStrictEqual(consent, yield* noticeOf(device))
      const german = { headers: { "accept-language": "de" } }
      const wrong = yield* press(device, "send", { ...nsw, consent: "", "holder.birthDate": "2999-01-01" }, german)
      assert.include(wrong.text, "Geburtsdatum darf nicht in der Zukunft liegen.")
      assert.include(wrong.text, "Ohne Ihre Einwilligung")
      assert.strictEqual((yield* press(device, "send", { ...nsw, consent }, german)).status, 303)
      const [sent] = yield* Row.run([{ call: `GET /answers/${answerId}`, expect: { "data.consent.language": "de" } }])
      assert.include(String(at(sent, "data.consent.text")), "Ich bin einverstanden")
      assert.include((yield* look({ link: unknown, cookie: "" }, german)).text, "Dieser Link ist nicht gültig")
    })
  )

  it.effect("answers a body that it does not take with a page, in the language of the browser", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { link } = yield* asked()
      const post = (rawBody: string | Uint8Array, type: string, path = link) =>
        call({
          ...{ method: "POST", path, token: null, rawBody },
          headers: { "content-type": type, "accept-language": "de" }
        })
      const form = "application/x-www-form-urlencoded"
      for (const [answer, status, told] of [
        [yield* post("x".repeat(70_000), form), 413, "zu groß"],
        [yield* post("x".repeat(11 * 1024 * 1024), "multipart/form-data; boundary=edge"), 413, "zu groß"],
        [yield* post(Uint8Array.of(0xff, 0xfe), form), 400, "nicht verständlich"],
        [yield* call({ method: "PUT", path: link, token: null }), 405, "That was not understood"],
        [yield* post("step=open", form, `${link}/more`), 404, "Dieser Link ist nicht gültig"]
      ] as const) {
        assert.strictEqual(answer.status, status)
        assert.include(answer.headers["content-type"] ?? "", "text/html")
        assert.include(answer.text, told)
        assert.strictEqual(answer.headers["referrer-policy"], "no-referrer")
      }
    })
  )

  it.effect("has no script, sends no referrer and is not stored", () =>
    Effect.gen(function* () {
      const { link } = yield* asked()
      const device = yield* begin(link)
      for (const answer of [
        yield* look(device),
        yield* look({ link: unknown, cookie: "" }),
        yield* press(device, "check", nsw)
      ]) {
        assert.strictEqual(answer.headers["referrer-policy"], "no-referrer")
        assert.strictEqual(answer.headers["cache-control"], "no-store")
        assert.include(answer.headers["content-security-policy"] ?? "", "default-src 'none'")
        assert.notInclude(answer.headers["content-security-policy"] ?? "", "script-src")
        assert.notInclude(answer.text, "<script")
        assert.notInclude(answer.text, "Secret Name")
      }
    })
  )

  it.effect("needs the privileges of what an approval writes", () =>
    Effect.gen(function* () {
      const { answerId, link } = yield* asked(["FIRST_AID"])
      yield* press(yield* begin(link), "send", certificate)
      const may = (...names: ReadonlyArray<PrivilegeName>) => Effect.map(tokenOf(names), ({ token }) => token)
      const approve = `POST /answers/${answerId}/approve`
      const [reads, updates] = [
        yield* may("answer:READ"),
        yield* may("answer:UPDATE", "credential:READ", "credential:UPDATE")
      ]
      const cards = yield* may("task:READ", "credential:READ", "worker:READ", "ban:READ", "captureRequest:READ")
      yield* Row.run([
        { call: approve, as: reads, expect: "FORBIDDEN: UPDATE answers" },
        { call: approve, as: updates, expect: "FORBIDDEN: CREATE credentials" },
        { call: `GET /answers/${answerId}`, as: cards, expect: "FORBIDDEN: READ answers" },
        { call: "GET /tasks?reason=ANSWER_WAITING", as: cards, expect: { "data.0": undefined } }
      ])
    })
  )

  it.effect("threat 85: is not decided by the person who answered, nor by an officer of another unit", () =>
    Effect.gen(function* () {
      const { session } = yield* Service
      const { answerId, link, workerId } = yield* asked(["FIRST_AID"])
      yield* press(yield* begin(link), "send", certificate)
      const [ann, admin] = [yield* tokenOf("Admin"), yield* tokenOf("Super Admin")]
      const by = { as: null, headers: (yield* session(accountIdOf(admin.urn))).headers }
      const outside = yield* tokenOf({ role: "Data Manager", units: [yield* unit()] })
      const reject = { call: `POST /answers/${answerId}/reject`, body: { reason: "no" } }
      yield* Row.run([
        { call: `PATCH /users/${accountIdOf(ann.urn)}`, ...by, body: { worker: { id: workerId } }, expect: 200 },
        { call: `POST /answers/${answerId}/approve`, as: ann.token, expect: "UNPROCESSABLE: ask another user" },
        { ...reject, as: ann.token, expect: "UNPROCESSABLE: ask another user" },
        { call: `GET /answers/${answerId}`, as: outside.token, expect: "NOT_FOUND" },
        { call: `GET /answers?workerId=${workerId}`, as: outside.token, expect: { "data.0": undefined } },
        { ...reject, as: outside.token, expect: "NOT_FOUND" },
        { call: `GET /answers/${answerId}`, expect: { "data.state": "WAITING" } }
      ])
    })
  )

  it.effect("waits again if a card of it is refused", () =>
    Effect.gen(function* () {
      const { answerId, link, workerId } = yield* asked(["FIRST_AID"])
      yield* press(yield* begin(link), "send", certificate)
      yield* Row.run([
        { call: `DELETE /workers/${workerId}`, expect: 204 },
        { call: `POST /answers/${answerId}/approve`, expect: "UNPROCESSABLE" },
        { call: `GET /answers/${answerId}`, expect: { "data.state": "WAITING", "data.decision": undefined } }
      ])
    })
  )

  it.effect("asks again if the notice has changed since the person read it", () =>
    Effect.gen(function* () {
      const { answerId, link } = yield* asked(["FIRST_AID"])
      const device = yield* begin(link)
      const consent = yield* noticeOf(device)
      const [settings] = yield* Row.run([{ call: "GET /message-settings", expect: 200 }])
      const {
        isAvailable: _,
        placeholders: _p,
        standardTemplates: __,
        type: ___,
        ...chosen
      } = Object(at(settings, "data"))
      const body = { ...chosen, privacyContact: "privacy@example.org" }
      yield* Row.run([{ call: "PUT /message-settings", body, expect: 200 }])
      const answer = yield* press(device, "send", { ...certificate, consent })
      assert.strictEqual(answer.status, 400)
      assert.include(answer.text, "the notice has changed")
      assert.include(answer.text, "privacy@example.org")
      yield* press(device, "send", certificate)
      const [read] = yield* Row.run([{ call: `GET /answers/${answerId}`, expect: { "data.state": "WAITING" } }])
      assert.include(String(at(read, "data.consent.notice")), "privacy@example.org")
    })
  )

  it.effect("threat 85: is approved once by two officers at the same time", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { answerId, link, workerId } = yield* asked(["FIRST_AID"])
      yield* press(yield* begin(link), "send", certificate)
      const path = `/openapi/v1/answers/${answerId}/approve`
      const answers = yield* Effect.all(
        Array.from({ length: 4 }, () => call({ method: "POST", path })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 422, 422, 422])
      yield* Row.run([
        { call: `GET /credentials?ownerType=worker&ownerId=${workerId}`, expect: { "data.1": undefined } },
        { call: `GET /answers/${answerId}`, expect: { "data.state": "APPROVED" } }
      ])
    })
  )

  it.effect("is erased with the person", () =>
    Effect.gen(function* () {
      const { session } = yield* Service
      const { answerId, link, workerId } = yield* asked(["FIRST_AID"])
      const device = yield* begin(link)
      yield* press(device, "send", certificate)
      const admin = yield* tokenOf("Super Admin")
      const by = { as: null, headers: (yield* session(accountIdOf(admin.urn))).headers }
      const [, , erased] = yield* Row.run([
        { call: `POST /answers/${answerId}/reject`, body: { reason: "Ann, look again" }, expect: 200 },
        { call: `POST /workers/${workerId}/erase`, ...by, body: { reason: "PERSON_ASKED" }, expect: 200 },
        { call: `GET /answers/${answerId}?includeDeleted=true`, expect: { "data.cards": [] } }
      ])
      assert.notInclude(erased.text, "Ann, look again")
      assert.strictEqual((yield* look(device)).status, 404)
    })
  )
})

layer(layerService({ ...raisedLimits, unauthenticated: 20 }), { excludeTestServices: true })("a flood", (it) => {
  it.effect("threat 84: of guessed links is refused by address, and other addresses go on", () =>
    Effect.gen(function* () {
      const { link } = yield* asked()
      const statuses: Array<number> = []
      for (let guess = 0; guess < 25; guess++) {
        const text = String(guess).padStart(43, "b")
        const guessed = yield* look({ link: `/answer/${text}`, cookie: "" }, { address: "127.0.0.7" })
        assert.include(guessed.headers["content-type"] ?? "", "text/html")
        statuses.push(guessed.status)
      }
      assert.deepStrictEqual([...new Set(statuses)], [404, 429])
      assert.strictEqual((yield* look({ link, cookie: "" }, { address: "127.0.0.8" })).status, 200)
    })
  )

  it.effect("threat 84: of requests to one link is refused by the link, from any address", () =>
    Effect.gen(function* () {
      const [{ link }, other] = [yield* asked(), yield* asked()]
      const statuses: Array<number> = []
      for (let turn = 0; turn <= defaultRateLimits.answerLinks; turn++) {
        const address = `127.0.1.${1 + Math.floor(turn / 15)}`
        statuses.push((yield* look({ link, cookie: "" }, { address })).status)
      }
      assert.strictEqual(statuses.filter((status) => status === 200).length, defaultRateLimits.answerLinks)
      assert.strictEqual(statuses.at(-1), 429)
      const typed = { ...certificate, "FIRST_AID.identifier": 'HLT-"1' }
      const refused = yield* press({ link, cookie: "" }, "check", { ...typed, consent: "" }, { address: "127.0.3.1" })
      assert.strictEqual(refused.status, 429)
      assert.include(refused.text, '<input type="hidden" name="FIRST_AID.identifier" value="HLT-&quot;1">')
      assert.strictEqual((yield* look({ link: other.link, cookie: "" }, { address: "127.0.2.1" })).status, 200)
    })
  )

  it.effect("threat 84: of guessed links leaves known links open", () =>
    Effect.gen(function* () {
      const { link } = yield* asked()
      let last = 0
      for (let guess = 0; guess <= defaultRateLimits.answerPages; guess++) {
        const address = `127.1.${Math.floor(guess / 15)}.1`
        last = (yield* look({ link: `/answer/${String(guess).padStart(43, "c")}`, cookie: "" }, { address })).status
      }
      assert.strictEqual(last, 429)
      assert.strictEqual((yield* look({ link, cookie: "" }, { address: "127.2.0.1" })).status, 200)
    })
  )
})
