import { assert, describe, layer } from "@effect/vitest"
import { serverActing } from "@wcs/domain/audit/AuditEntry"
import { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceHistory } from "@wcs/domain/crud/ResourceHistory"
import { DocumentContent } from "@wcs/domain/document/DocumentContent"
import { DocumentStore } from "@wcs/domain/document/DocumentStore"
import * as DocumentSweep from "@wcs/domain/document/DocumentSweep"
import { type Erasure, eventOf, type Reason } from "@wcs/domain/erasure/Erasure"
import { ErasureStore } from "@wcs/domain/erasure/ErasureStore"
import { begun, makeFinish } from "@wcs/domain/erasure/Erasures"
import { Ban, type BanFields } from "@wcs/domain/holding/Ban"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import { Exemption } from "@wcs/domain/holding/Exemption"
import type { Import } from "@wcs/domain/import/Import"
import { keysOf, type ReadRow } from "@wcs/domain/import/ImportRow"
import { ImportStore } from "@wcs/domain/import/ImportStore"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import type { MessageFields } from "@wcs/domain/message/Message"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import { NoteStore } from "@wcs/domain/note/NoteStore"
import { noOwners, type OwnerReference, type Owners } from "@wcs/domain/ownership/Ownership"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import { Answer, type AnswerFields, answerIdOf } from "@wcs/domain/screening/Answer"
import { FetchRequest } from "@wcs/domain/screening/FetchRequests"
import { RecruitmentCheck } from "@wcs/domain/screening/RecruitmentChecks"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { fanOut } from "@wcs/domain/webhook/FanOut"
import { dump } from "@wcs/store-sql/backup/Dump"
import { dialectOf } from "@wcs/store-sql/engine/Dialect"
import { readErasures, repeatErasures } from "@wcs/store-sql/erasure/ErasureList"
import { answered, fanOutOf, listed, putWebhook, readDue, settle } from "@wcs/store-suite/delivery/DeliveryFixtures"
import {
  auditEntry,
  auditLog,
  created,
  eventDraft,
  everything,
  find,
  idFor,
  listIds,
  mint,
  put,
  remove,
  revise,
  type Stores,
  start
} from "@wcs/store-suite/Fixtures"
import { scan } from "@wcs/store-suite/ScanStoreSuite"
import { historyOf, outcome, verification } from "@wcs/store-suite/verification/VerificationFixtures"
import { Effect, Option, Result } from "effect"
import { Base64 } from "effect/encoding"
import { SqlClient } from "effect/sql"
import { engines } from "../engines.ts"
import { erasedColumns, undecided } from "./erasedColumns.ts"

/** A value that only the planted person has. Folded and stripped forms have it too. */
const planted = "plantedvalue"
const text = (name: string): string => `${planted} ${name}`

/** The columns, `table.column`, that contain a planted value in any row. */
const found = Effect.gen(function* () {
  const places = new Set<string>()
  yield* dump((table, columns, page) =>
    Effect.sync(() => {
      for (const row of page) {
        for (const [index, value] of row.entries()) {
          if (String(value).toLowerCase().includes(planted)) places.add(`${table}.${columns[index]}`)
        }
      }
    })
  )
  return [...places]
})

const card = (owners: CredentialFields["attributes"]["owners"], attributes: object = {}): CredentialFields => ({
  attributes: {
    credentialType: "WWCC_NSW",
    jurisdiction: "NSW",
    eligibility: "MAY_ENGAGE",
    statusDetail: "VALID",
    expiryDate: "2030-01-31",
    identifier: text("card"),
    category: text("category"),
    issueNumber: planted,
    cardType: planted,
    holder: { firstName: planted, lastName: text("holder"), otherNames: [{ lastName: text("maiden") }] },
    ...attributes,
    owners
  }
})

/** An import with two rows about the person, one that repeats the first, and one about another. */
const plantImport = Effect.fnUntraced(function* (tenantId: string, workerId: string) {
  const store = yield* ImportStore
  const id = mint("import")
  const it: Import = {
    ...{ id, tenantId, version: 1, name: "staff.csv", status: "CHECKING", rows: 2, mapped: [], dateOrder: "DMY" },
    ...{ columns: [{ name: "Name", samples: [text("sample")], proposal: null }], withDuplicates: false, cursor: 0 },
    ...{ seen: 0, counts: {}, isUntouched: false, beforeUndo: null, problem: null, actor: serverActing("request") },
    ...{ createdAt: start, updatedAt: start }
  }
  yield* store.begin(it, auditEntry(id, { entityType: "import" }), () => Result.void)
  yield* store.append(tenantId, id, [
    ...[2, 3, 4].map((row) => ({ row, cells: [text("cell")] })),
    { row: 5, cells: ["Bob"] }
  ])
  const faulty = { outcome: "FAULTY", fault: { column: "Name", reason: text("fault") } } as const
  const keys = { idKey: planted, nameKey: planted }
  yield* store.advance({ ...it, version: 2 }, [
    { ...{ row: 2, workerId, sameAsRow: null }, ...faulty, ...keys },
    { ...{ row: 3, workerId: null, sameAsRow: 2 }, ...faulty, ...keys }
  ])
  const carriedOut = { importId: id, row: 4, from: ["NEW"], outcome: "UPDATED", workerId, tag: "tag" }
  yield* revise(Worker, tenantId, workerId, (row) => ({ ...row, version: row.version + 1 }), {
    ...noRecords,
    imported: { ...carriedOut, before: { identity: { displayName: text("before") } } }
  })
})

const birthDate = "1990-12-31"

/** An import that is checked and not run, with rows about the person that no worker is known for. Returns its id. */
const plantChecked = Effect.fnUntraced(function* (tenantId: string) {
  const store = yield* ImportStore
  const id = mint("import")
  const it: Import = {
    ...{ id, tenantId, version: 1, name: "again.csv", status: "CHECKED", rows: 4, mapped: [], dateOrder: "DMY" },
    ...{ columns: [{ name: "Name", samples: [text("sample")], proposal: null }], withDuplicates: false, cursor: 0 },
    ...{ seen: 0, counts: {}, isUntouched: false, beforeUndo: null, problem: null, actor: serverActing("request") },
    ...{ createdAt: start, updatedAt: start }
  }
  yield* store.begin(it, auditEntry(id, { entityType: "import" }), () => Result.void)
  const read = { document: {}, externalId: undefined, sourceSystem: undefined, person: undefined }
  const about: ReadonlyArray<ReadRow> = [
    { ...read, externalId: planted },
    { ...read, externalId: planted, sourceSystem: planted },
    { ...read, person: { name: text("name"), birthDate } }
  ]
  const bob = { ...read, externalId: "bob", person: { name: "bob", birthDate } }
  yield* store.append(tenantId, id, [
    ...about.map((_, index) => ({ row: index + 2, cells: [text("cell")] })),
    { row: 5, cells: ["Bob"] }
  ])
  const mark = { outcome: "CREATE", fault: null, workerId: null, sameAsRow: null } as const
  const marks = [...about, bob].map((each, index) => ({ ...mark, row: index + 2, ...keysOf(each) }))
  yield* store.advance({ ...it, version: 2 }, marks)
  return id
})

/** Notes about a person, and who looks after the person. */
const plantNotes = Effect.fnUntraced(function* (tenantId: string, people: ReadonlyArray<string>) {
  const store = yield* NoteStore
  for (const personId of people) {
    const id = mint("note")
    const note = { id, tenantId, about: personId, personId, account: "urn:wcs:account:acc_1", text: text("note") }
    const audit = auditEntry(id, { entityType: "note" })
    yield* store.insert({ ...note, mentions: ["acc_2"], createdAt: start }, audit, () => Result.void)
    yield* store.setCaretaker(tenantId, personId, "acc_2", auditEntry(personId))
  }
})

/** A message to a person that the mail server refused, with the address in its answer. */
const plantMessage = Effect.fnUntraced(function* (tenantId: string, recipient: OwnerReference) {
  const store = yield* MessageStore
  const id = mint("message")
  const fields: MessageFields = {
    ...{ kind: "REQUEST", state: "REFUSED", recipient, cause: id, attempts: 1 },
    reply: `550 ${planted}@example.org: no such user`
  }
  const placed = { message: created(id, fields), dueAt: start }
  yield* store.insert(tenantId, placed, { since: 0, most: 10 }, auditEntry(id, { entityType: "message" }))
})

/** A document of a card that the person owned at the upload, with planted words in its name, its key and its content. */
const plantDocument = Effect.fnUntraced(function* (tenantId: string, card: string, people: Owners = noOwners) {
  const store = yield* DocumentStore
  const { put } = yield* DocumentContent
  const id = mint("document")
  const begun = { id, tenantId, owner: { type: "credential", id: card }, status: "UPLOADING", bytes: 9 } as const
  const content = { form: "PDF", bytes: 9, sha256: planted } as const
  const further = { people, sealedKey: planted, name: text("file"), content, account: "urn:wcs:account:acc_1" }
  yield* store.begin({ ...begun, ...further, createdAt: start, deletion: null }, () => Result.void)
  yield* put(tenantId, id, 0, Result.getOrThrow(Base64.decode(planted)))
  yield* store.change(tenantId, id, ({ document }) =>
    Result.succeed({ next: { ...Option.getOrThrow(document), status: "STORED" }, audit: [] })
  )
})

/** Seals the versions of a worker and a card. */
const plantSeal = Effect.fnUntraced(function* (tenantId: string, worker: string, card: string) {
  const store = yield* AuditSealStore
  const versions = [
    ...(yield* store.unsealedVersions(tenantId, "worker", [worker], 10)),
    ...(yield* store.unsealedVersions(tenantId, "credential", [card], 10))
  ]
  const seal = { tenantId, number: 1, count: 1, firstId: "", lastId: "", lastPosition: 1, entriesHash: "" }
  yield* store.insert(
    { ...seal, contents: [], previousHash: "", sealedAt: start, signature: "" },
    versions.map(({ id, kind, version }) => ({ kind, id, version, salt: planted }))
  )
})

/** Plants a person everywhere, and another person who shares nothing. */
const plant = Effect.fnUntraced(function* (tenantId: string) {
  const [worker, applicant] = [mint("worker"), mint("applicant")]
  const source = { externalId: planted, sourceSystem: planted }
  const webhook = yield* putWebhook(tenantId)
  yield* put(
    Worker,
    tenantId,
    created(worker, {
      identity: { displayName: text("name"), lastName: planted, otherNames: [text("other")], birthDate },
      contact: { workEmail: `${planted}@example.org` },
      employment: { jobTitle: planted, organisationName: planted },
      source
    })
  )
  yield* put(
    Applicant,
    tenantId,
    created(applicant, {
      ...{
        emailAddress: `${planted}@example.com`,
        displayName: text("name"),
        lastName: planted,
        phone: planted,
        source
      },
      status: "HIRED"
    })
  )
  const [own, shared, gone, theirs] = [
    ...[mint("credential"), mint("credential"), mint("credential"), mint("credential")]
  ] as const
  const notice = { issuedOn: "2026-01-01", reference: text("notice") }
  const told = verification(own, { trigger: "notice", outcome: outcome(), notice })
  const event = eventDraft(own, "credential.created")
  yield* put(Credential, tenantId, created(own, card({ worker, applicant: null })), {
    ...noRecords,
    verifications: [told],
    events: [event]
  })
  yield* put(Credential, tenantId, created(shared, card({ worker, applicant })))
  yield* put(Credential, tenantId, created(gone, card({ worker, applicant: null })))
  yield* remove(Credential, tenantId, gone)
  yield* put(Credential, tenantId, created(theirs, card({ worker: null, applicant })))
  const before = mint("credential") // the person owns it later, and it is corrected then
  yield* put(Credential, tenantId, created(before, card({ worker: null, applicant: null })))
  yield* revise(Credential, tenantId, before, (row) => {
    const attributes = { credentialType: "FIRST_AID", owners: { worker, applicant: null } }
    return { ...row, version: row.version + 1, updatedAt: start + 1, fields: { attributes } }
  })
  // Cards that the person owned once, and that were corrected since. Only their versions have planted values.
  for (const owners of [
    { worker, applicant: null },
    { worker: null, applicant }
  ]) {
    const once = mint("credential")
    yield* put(Credential, tenantId, created(once, card(owners)))
    yield* revise(Credential, tenantId, once, (row) => {
      const attributes = { credentialType: "FIRST_AID", owners: { worker: null, applicant: null } }
      return { ...row, version: row.version + 1, updatedAt: start + 1, fields: { attributes } }
    })
  }
  const exemption = { exemptionType: "MEDICAL", identifier: planted, reason: text("reason"), grantedBy: planted }
  const exemptions = [mint("exemption"), mint("exemption")] as const
  yield* put(Exemption, tenantId, created(exemptions[0], { ...exemption, worker: { id: worker } }))
  yield* put(Exemption, tenantId, created(exemptions[1], { ...exemption, applicant: { id: applicant } }))
  const ban: BanFields = {
    register: "ndis",
    worker: { id: worker },
    checkedAt: "2026-01-30T00:00:00.000Z",
    eligibility: "MAY_NOT_ENGAGE",
    matches: [{ name: text("match"), reference: planted, detail: planted }]
  }
  const banId = idFor(Ban)
  yield* put(Ban, tenantId, created(banId, ban))
  const asking = { message: text("please"), expiryDays: 14, status: "INITIATED", expiryDate: "2026-03-01" } as const
  const request = { worker: { id: worker }, requestedCredentialTypes: ["FIRST_AID"], ...asking }
  yield* put(FetchRequest, tenantId, created(mint("captureRequest"), request))
  const check = { applicant: { id: applicant }, screeningPackageCode: "aged-care", ...asking }
  yield* put(RecruitmentCheck, tenantId, created(mint("credentialCheck"), check))
  const consent = { version: "1", text: "I agree", notice: "Why", at: "2026-01-30T00:00:00.000Z" }
  const entered = { credentialType: "FIRST_AID", identifier: planted, holder: { lastName: text("entered") } }
  const answering = { state: "WAITING", consent, cards: [entered], submittedAt: consent.at } as const
  const asked = mint("captureRequest")
  const answer = { ...answering, request: { type: "captureRequest", id: asked } } as const
  yield* put<AnswerFields>(Answer, tenantId, created(answerIdOf(asked), { ...answer, worker: { id: worker } }))
  const checkedId = mint("credentialCheck")
  const other = { ...answering, request: { type: "credentialCheck", id: checkedId } } as const
  yield* put<AnswerFields>(Answer, tenantId, created(answerIdOf(checkedId), { ...other, applicant: { id: applicant } }))
  const scans = yield* ScanStore
  for (const overrides of [
    { credentialId: own, identifier: text("card"), outcome: "MATCHED" as const },
    { identifier: text("CARD"), outcome: "NAME_DIFFERS" as const }
  ]) {
    const row = scan(tenantId, { firstName: planted, surname: planted, ...overrides })
    yield* scans.insert(row, auditEntry(row.correlationId, { entityType: "scan" }))
  }
  yield* plantImport(tenantId, worker)
  const checked = yield* plantChecked(tenantId)
  yield* plantSeal(tenantId, worker, own)
  yield* plantMessage(tenantId, { type: "worker", id: worker })
  yield* plantMessage(tenantId, { type: "applicant", id: applicant })
  yield* plantDocument(tenantId, own)
  yield* plantNotes(tenantId, [worker, applicant])
  // The cards of these belong to somebody else by now.
  yield* plantDocument(tenantId, mint("credential"), { worker, applicant: null })
  yield* plantDocument(tenantId, mint("credential"), { worker: null, applicant })
  const deliveries = yield* DeliveryStore
  yield* deliveries.fanOut(fanOutOf(1000), (sent, subscribers) =>
    fanOut(sent, subscribers, () => mint("delivery"), start)
  )
  const due = yield* readDue(start)
  yield* settle(due.deliveries.map((delivery) => answered(delivery, 500, start, [], text("echo"))))
  return { worker, applicant, own, shared, gone, theirs, exemptions, ban: banId, webhook, verification: told, checked }
})

const begin = Effect.fnUntraced(function* (tenantId: string, id: string, reason: Reason = "PERSON_ASKED") {
  const store = yield* ErasureStore
  const asked = { actor: serverActing("request"), auditId: () => mint("audit"), now: start + 1, reason }
  return yield* store.begin(tenantId, id, (basis) => begun(tenantId, id, basis, asked))
})

const finish = Effect.fnUntraced(function* (tenantId: string, id: string, steps: number) {
  const store = yield* ErasureStore
  const erasure = yield* begin(tenantId, id)
  const isDone = yield* makeFinish(store, { auditId: () => mint("audit"), eventId: () => mint("event") })(
    erasure,
    serverActing("request"),
    steps
  )
  yield* yield* DocumentSweep.make // the keys of documents are gone; this removes what nothing opens any more
  return isDone
})

const statusesOf = Effect.fnUntraced(function* (tenantId: string) {
  const store = yield* ErasureStore
  return (yield* store.list(tenantId, everything)).items.map(({ status, workerId }) => [workerId, status])
})

for (const [engine, store] of engines) {
  layer(store as never)(`${engine}: an erasure`, (it) => {
    const test = (
      name: string,
      body: (tenantId: string) => Effect.Effect<void, unknown, Stores | SqlClient.SqlClient>
    ) => it.effect(name, () => Effect.orDie(body(mint("tenant"))) as never)

    describe("threats 61 and 89: removes a person from the whole store", () => {
      test("so that no row of any table has a planted value, and ids, verdicts and the audit log stay", (tenantId) =>
        Effect.gen(function* () {
          const of = yield* plant(tenantId)
          assert.sameMembers(
            yield* found,
            Object.entries(erasedColumns).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`))
          )
          const before = yield* auditLog(tenantId, 1000)
          assert.isTrue(yield* finish(tenantId, of.worker, 1000))
          assert.deepStrictEqual(yield* found, [])
          const imports = yield* ImportStore
          const rows = yield* imports.rows(tenantId, of.checked, { after: 0, limit: 10 })
          assert.deepStrictEqual(
            rows.map(({ cells, outcome }) => [outcome, cells]),
            [
              ["FAULTY", []],
              ["FAULTY", []],
              ["FAULTY", []],
              ["CREATE", ["Bob"]]
            ]
          )
          for (const id of [of.own, of.shared, of.gone, of.theirs]) {
            const credential = yield* find(Credential, tenantId, id)
            assert.isNotNull(credential?.deletedAt)
            assert.deepInclude(credential?.fields.attributes, {
              credentialType: "WWCC_NSW",
              eligibility: "MAY_ENGAGE",
              statusDetail: "VALID",
              expiryDate: "2030-01-31"
            })
          }
          const [told] = yield* historyOf(tenantId, of.own)
          assert.deepStrictEqual(told, {
            ...of.verification,
            notice: { issuedOn: "2026-01-01", reference: "(erased)" }
          })
          const ban = yield* find(Ban, tenantId, of.ban)
          assert.deepStrictEqual([ban?.fields.eligibility, ban?.fields.matches], ["MAY_NOT_ENGAGE", []])
          const after = yield* auditLog(tenantId, 1000)
          assert.deepStrictEqual(after.slice(0, before.length), before)
          const erased = after.slice(before.length).map(({ action, entityId }) => [action, entityId])
          assert.includeDeepMembers(
            erased,
            [of.worker, of.applicant, of.own, of.gone, of.theirs, ...of.exemptions, of.ban].map((id) => ["erase", id])
          )
          assert.deepStrictEqual(
            (yield* listed(of.webhook)).map(({ lastResponse }) => lastResponse),
            [null]
          )
        }))

      test("threat 69: so that later answers about the person are not kept either", (tenantId) =>
        Effect.gen(function* () {
          const { webhook, worker } = yield* plant(tenantId)
          assert.isTrue(yield* finish(tenantId, worker, 1000))
          const deliveries = yield* DeliveryStore
          const chosen = { states: ["EXHAUSTED"], from: null, to: null, deliveryIds: null, limit: 10 } as const
          const audit = auditEntry(webhook.webhookId, { at: start + 2 })
          assert.strictEqual((yield* deliveries.redrive(tenantId, webhook.webhookId, chosen, audit)).redriven, 1)
          const due = yield* readDue(start + 2)
          yield* settle(due.deliveries.map((delivery) => answered(delivery, 500, start + 2, [], text("echo"))))
          assert.deepStrictEqual(yield* found, [])
        }))

      test("threat 69: also if the event was not sent before the erasure", (tenantId) =>
        Effect.gen(function* () {
          const { webhook, worker } = yield* plant(tenantId)
          const revised = { audit: [], events: [eventDraft(worker, "credential.created", { at: start + 2 })] }
          yield* revise(Worker, tenantId, worker, (current) => ({ ...current, version: current.version + 1 }), revised)
          assert.isTrue(yield* finish(tenantId, worker, 1000))
          const deliveries = yield* DeliveryStore
          yield* deliveries.fanOut(fanOutOf(1000, start + 3), (sent, subscribers) =>
            fanOut(sent, subscribers, () => mint("delivery"), start + 3)
          )
          const due = (yield* readDue(start + 3)).deliveries.filter(({ webhookId }) => webhookId === webhook.webhookId)
          assert.lengthOf(due, 1)
          yield* settle(due.map((delivery) => answered(delivery, 500, start + 3, [], text("echo"))))
          assert.deepStrictEqual(yield* found, [])
        }))

      test("although it is killed after each step and begun again", (tenantId) =>
        Effect.gen(function* () {
          const { worker } = yield* plant(tenantId)
          let steps = 0
          while (!(yield* finish(tenantId, worker, steps))) {
            assert.deepStrictEqual(yield* statusesOf(tenantId), [[worker, "ERASING"]])
            assert.isBelow(++steps, 50)
          }
          assert.isAbove(steps, 8)
          assert.deepStrictEqual(yield* found, [])
          assert.deepStrictEqual(yield* statusesOf(tenantId), [[worker, "ERASED"]])
          const { length } = yield* auditLog(tenantId, 1000)
          assert.isTrue(yield* finish(tenantId, worker, 1000))
          assert.lengthOf(yield* auditLog(tenantId, 1000), length)
        }))
    })

    test("decides on each column of text of each table", () =>
      Effect.gen(function* () {
        const rows = yield* dialectOf(yield* SqlClient.SqlClient).catalogue
        const columns = rows
          .filter(({ type }) => !/int/i.test(type))
          .map(({ column, table }) => ({ table: table.toLowerCase(), column }))
        assert.isAbove(columns.length, 200)
        assert.deepStrictEqual(undecided(columns), [])
        assert.deepStrictEqual(undecided([...columns, { table: "worker", column: "nickname" }]), ["worker.nickname"])
      }))

    test("leaves other people alone, also with a card of an applicant that another worker owns", (tenantId) =>
      Effect.gen(function* () {
        const [ann, bob, applicant] = [mint("worker"), mint("worker"), mint("applicant")]
        const identity = { displayName: "Bob" }
        yield* put(Worker, tenantId, created(ann, { identity }))
        yield* put(Worker, tenantId, created(bob, { identity }))
        const [shared, bobs, both] = [mint("credential"), mint("credential"), mint("credential")]
        const fields = (owners: CredentialFields["attributes"]["owners"]) =>
          card(owners, { identifier: `x${owners.worker}` })
        yield* put(Credential, tenantId, created(shared, fields({ worker: ann, applicant })))
        yield* put(Credential, tenantId, created(bobs, fields({ worker: bob, applicant: null })))
        yield* put(Credential, tenantId, created(both, fields({ worker: bob, applicant })))
        for (const id of [bobs, both]) {
          yield* revise(Credential, tenantId, id, (row) => ({ ...row, version: row.version + 1, updatedAt: start + 1 }))
        }
        assert.isTrue(yield* finish(tenantId, ann, 1000))
        assert.deepStrictEqual(yield* listIds(Worker, tenantId), [bob])
        assert.deepStrictEqual(yield* listIds(Credential, tenantId), [bobs, both])
        const kept = yield* find(Credential, tenantId, both)
        assert.isDefined(kept?.fields.attributes.holder)
        const { asOf } = yield* ResourceHistory
        const then = yield* asOf(start).findAll(Credential, tenantId, [bobs, both])
        assert.sameMembers([...then.keys()], [bobs, both])
      }))

    test("that is only announced can be withdrawn, and is not in the list for restores, which overrides it", (tenantId) =>
      Effect.gen(function* () {
        const store = yield* ErasureStore
        const worker = mint("worker")
        yield* put(Worker, tenantId, created(worker, { identity: { displayName: "Ann" } }))
        const { account, requestId } = serverActing("request")
        const announced: Erasure = {
          ...{ tenantId, workerId: worker, reason: "RETENTION_ENDED", status: "ANNOUNCED", account, requestId },
          ...{ requestedAt: start, dueOn: "2026-03-01", erasedAt: null }
        }
        const decide = (erasure: Erasure | null) =>
          store.begin(tenantId, worker, () => Result.succeed({ erasure, next: undefined, records: noRecords }))
        const own = Effect.map(readErasures, (all) => all.filter((each) => each.tenantId === tenantId))
        yield* decide(announced)
        yield* decide(null)
        assert.deepStrictEqual(yield* statusesOf(tenantId), [])
        yield* decide(announced)
        assert.deepStrictEqual(yield* own, [])
        const { dueOn: _, erasedAt: __, status: ___, ...listed } = announced
        assert.strictEqual(yield* repeatErasures([{ ...listed, reason: "PERSON_ASKED" }]), 1)
        assert.deepStrictEqual(yield* own, [{ ...listed, reason: "PERSON_ASKED" }])
        assert.strictEqual(yield* repeatErasures([listed]), 0)
        yield* decide(null)
        assert.deepStrictEqual(yield* statusesOf(tenantId), [[worker, "DUE"]])
      }))

    test("is unfinished until the last step, over all tenants", (tenantId) =>
      Effect.gen(function* () {
        const store = yield* ErasureStore
        const worker = mint("worker")
        yield* put(Worker, tenantId, created(worker, { identity: { displayName: "Ann" } }))
        const unfinished = Effect.map(store.unfinished(1000), (all) => all.filter((each) => each.tenantId === tenantId))
        const erasure = yield* begin(tenantId, worker, "RETENTION_ENDED")
        assert.deepStrictEqual(yield* unfinished, [erasure])
        yield* store.finish(tenantId, worker, start + 2, (done) => eventOf("worker.erased", done, mint("event"), start))
        assert.deepStrictEqual(yield* unfinished, [])
        assert.deepStrictEqual((yield* begin(tenantId, worker)).erasedAt, start + 2)
      }))
  })
}
