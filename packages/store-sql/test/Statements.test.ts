import { assert, layer } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { type Chosen, OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import { type Command, decide, decideBatch, enteringOwner, type OwnerReference } from "@wcs/domain/ownership/Ownership"
import { Worker } from "@wcs/domain/people/Worker"
import { parse } from "@wcs/domain/resource/ListQuery"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { putTenant } from "@wcs/store-suite/access/AccessFixtures"
import { putLegacyToken, putUser, rewrite } from "@wcs/store-suite/access/UserFixtures"
import {
  applicantRef,
  auditEntry,
  auditLog,
  created,
  credentialFields,
  eventDraft,
  freshTenant,
  mint,
  put,
  revise,
  start,
  stored,
  subscribe,
  workerRef
} from "@wcs/store-suite/Fixtures"
import { putWorker } from "@wcs/store-suite/ownership/Owning"
import { give, link as linkAll, putRequest } from "@wcs/store-suite/resource/ProgressionFixtures"
import { Effect, Result } from "effect"
import * as moving from "./moving.ts"
import { planOf, recording, tableScansOf } from "./recording.ts"
import { store } from "./temporary.ts"

/** Summarizes statements by verb and table. */
const summary = (ran: ReadonlyArray<{ readonly text: string }>) =>
  ran.map(({ text }) => {
    const update = /\bUPDATE (\w+) SET/.exec(text)
    if (update !== null) return `UPDATE ${update[1]}`
    const insert = /^\s*INSERT INTO (\w+)/.exec(text)
    if (insert !== null) return `INSERT INTO ${insert[1]}`
    const ending = /^\s*DELETE FROM (\w+)/.exec(text)
    if (ending !== null) return `DELETE ${ending[1]}`
    return `SELECT ${/\b(?:FROM|JOIN) (\w+) AS r\b/.exec(text)?.[1]}`
  })

/** A tenant with a subscriber, two workers, and this many credentials of the first one. */
const prepared = (count: number) =>
  Effect.map(moving.prepared(count), ({ from, ids, tenantId, to }) => {
    return { tenantId, ids, first: workerRef(from), second: workerRef(to) }
  })

const recordsOf = (ids: ReadonlyArray<string>) => ({
  audit: ids.map((id) => auditEntry(id)),
  events: ids.map((id) => eventDraft(id))
})

/** One command on one credential, as the use case runs it. */
const changeOwner = (tenantId: string, id: string, command: Command) =>
  Effect.flatMap(OwnershipStore, (ownership) =>
    ownership.transition(tenantId, { _tag: "Ids", ids: [id] }, enteringOwner(command), ([slots], facts) => {
      if (slots === undefined) return Result.fail("missing" as const)
      const decision = decide(slots.owners, command, facts)
      if (decision._tag === "Refused") return Result.fail(decision.reason._tag)
      const changes = new Map(decision._tag === "Changed" ? [[id, decision.owners]] : [])
      return Result.succeed({ answer: decision._tag, changes, records: recordsOf([...changes.keys()]), at: start })
    })
  )

/** A transfer of many credentials. */
const transferAll = (tenantId: string, chosen: Chosen, from: OwnerReference, to: OwnerReference) =>
  Effect.flatMap(OwnershipStore, (ownership) =>
    ownership.transition(
      tenantId,
      chosen,
      to,
      (
        found,
        facts
      ): Result.Result<{
        readonly answer: number
        readonly changes: ReturnType<typeof decideBatch>["changes"]
        readonly records: ReturnType<typeof recordsOf>
        readonly at: number
      }> => {
        const slots = new Map(found.map(({ id, owners }) => [id, owners]))
        const { changes } = decideBatch([...slots.keys()], slots, { _tag: "Transfer", from, to }, facts)
        return Result.succeed({ answer: changes.size, changes, records: recordsOf([...changes.keys()]), at: start })
      }
    )
  )

const transferStatements = ["SELECT credential", "UPDATE credential", "INSERT INTO audit_event", "INSERT INTO event"]

layer(store)("number of statements", (it) => {
  it.effect("a read and a page take one statement each, and a total takes one more", () =>
    Effect.gen(function* () {
      const { ids, tenantId } = yield* prepared(3)
      const resources = yield* ResourceStore
      const read = yield* recording(resources.find(Credential, tenantId, ids[0] ?? ""))
      assert.deepStrictEqual(summary(read.ran), ["SELECT credential"])
      const selection = Result.getOrThrow(
        parse(Credential, { ownerExternalId: "17", sort: "expiryDate" }, "2026-01-31")
      )
      assert.strictEqual((yield* recording(resources.list(Credential, tenantId, selection))).ran.length, 1)
      const counted = resources.list(Credential, tenantId, { ...selection, includeTotal: true })
      assert.strictEqual((yield* recording(counted)).ran.length, 2)
      const impossible = resources.list(Credential, tenantId, { ...selection, conditions: undefined })
      assert.strictEqual((yield* recording(impossible)).ran.length, 0)
    })
  )

  it.effect("a create takes one statement each for its references, its row, its audit entry and its event", () =>
    Effect.gen(function* () {
      const { first, tenantId } = yield* prepared(0)
      const next = created(mint("credential"), credentialFields({ worker: first.id }))
      const resources = yield* ResourceStore
      const { ran } = yield* recording(
        resources.change(Credential, tenantId, next.id, [{ resource: Worker, id: first.id }], () =>
          stored(next, recordsOf([next.id]))
        )
      )
      assert.deepStrictEqual(summary(ran), [
        "SELECT credential",
        "SELECT worker",
        "INSERT INTO credential",
        "INSERT INTO audit_event",
        "INSERT INTO event"
      ])
    })
  )

  it.effect(
    "a changed subscription takes two statements, an ended one takes one, an unchanged one none; a limit on webhooks takes one more, and a new webhook a version",
    () =>
      Effect.gen(function* () {
        const tenantId = freshTenant()
        const asked = ["SELECT webhook"]
        const made = yield* recording(subscribe(tenantId, "whk_1", ["credential.created", "credential.updated"]))
        const kept = [
          "INSERT INTO webhook",
          "INSERT INTO resource_version",
          "INSERT INTO search_word",
          "DELETE subscription",
          "INSERT INTO subscription"
        ]
        assert.deepStrictEqual(summary(made.ran), [...asked, ...asked, ...kept])
        const [, counting = { text: "", params: [] }] = made.ran
        assert.match(
          (yield* planOf(counting)).join("\n"),
          /^SEARCH r USING (COVERING )?INDEX webhook_living \(tenant_id=\?\)$/m
        )
        const renamed = yield* recording(
          revise(Webhook, tenantId, "whk_1", (current) => ({ ...current, version: current.version + 1 }))
        )
        assert.deepStrictEqual(summary(renamed.ran), [...asked, "UPDATE webhook"])
        const ended = yield* recording(subscribe(tenantId, "whk_1", []))
        assert.deepStrictEqual(summary(ended.ran), [...asked, "UPDATE webhook", "DELETE subscription"])
        for (const { ran } of [made, ended]) {
          for (const statement of ran.filter(({ text }) => text.includes("DELETE FROM subscription"))) {
            assert.deepStrictEqual(tableScansOf(yield* planOf(statement)), [])
          }
        }
      })
  )

  it.effect(
    "a link takes at most four statements, a refusal and a no-op take one, which also reads the new owner",
    () =>
      Effect.gen(function* () {
        const { first, ids, second, tenantId } = yield* prepared(1)
        const [id = ""] = ids
        const applicant = applicantRef(mint("applicant"))
        const refused = yield* recording(Effect.flip(changeOwner(tenantId, id, { _tag: "Link", to: second })))
        assert.strictEqual(refused.answer, "AlreadyLinked")
        assert.deepStrictEqual(summary(refused.ran), ["SELECT credential"])
        const noop = yield* recording(changeOwner(tenantId, id, { _tag: "Link", to: first }))
        assert.strictEqual(noop.answer.answer, "Unchanged")
        assert.deepStrictEqual(summary(noop.ran), ["SELECT credential"])
        const done = yield* recording(changeOwner(tenantId, id, { _tag: "Transfer", from: first, to: second }))
        assert.strictEqual(done.answer.answer, "Changed")
        assert.deepStrictEqual(summary(done.ran), transferStatements)
        const left = yield* recording(changeOwner(tenantId, id, { _tag: "Unlink", from: applicant }))
        assert.deepStrictEqual(summary(left.ran), ["SELECT credential"])
      })
  )

  it.effect("BLK-08, BLK-10: a batch of 500 takes as many statements as a batch of 2, by ids and by holder", () =>
    Effect.gen(function* () {
      for (const count of [2, 500]) {
        const { first, ids, second, tenantId } = yield* prepared(count)
        const there = yield* recording(transferAll(tenantId, { _tag: "Ids", ids }, first, second))
        assert.strictEqual(there.answer.answer, count)
        assert.deepStrictEqual(summary(there.ran), transferStatements)
        const held: Chosen = { _tag: "HeldBy", owner: second, limit: 501 }
        const back = yield* recording(transferAll(tenantId, held, second, first))
        assert.strictEqual(back.answer.answer, count)
        assert.deepStrictEqual(summary(back.ran), transferStatements)
        const kept = yield* (yield* EventStore).events(tenantId, 0, 2000)
        assert.strictEqual(kept.length, 2 * count)
      }
    })
  )

  it.effect(
    "the open requests of an owner take four statements for any number of requests, and none if there are no requests",
    () =>
      Effect.gen(function* () {
        const lookup = "SELECT captureRequest"
        for (const count of [1, 500]) {
          const { ids, second, tenantId } = yield* prepared(count)
          const owner = workerRef(yield* putWorker(tenantId))
          const none = yield* recording(linkAll(tenantId, ids, second))
          assert.deepStrictEqual(summary(none.ran), transferStatements)
          const credential = credentialFields({ worker: owner.id }, { eligibility: "MAY_ENGAGE" })
          const created = yield* recording(give(tenantId, credential))
          assert.strictEqual(summary(created.ran).filter((each) => each === lookup).length, 1)
          for (let requests = 0; requests < 3; requests++) yield* putRequest(tenantId, owner.id)
          const some = yield* recording(linkAll(tenantId, ids, owner))
          assert.deepStrictEqual(summary(some.ran).slice(1), [
            "UPDATE credential",
            lookup,
            "SELECT credential",
            "SELECT exemption",
            "UPDATE captureRequest",
            "INSERT INTO audit_event",
            "INSERT INTO event"
          ])
          for (const ran of [...none.ran, ...created.ran, ...some.ran].filter(({ text }) =>
            text.startsWith("SELECT")
          )) {
            const plan = yield* planOf(ran)
            assert.deepStrictEqual(tableScansOf(plan), [], ran.text)
            if (ran.text.includes("captureRequest AS")) {
              assert.match(plan.join("\n"), /captureRequest_open \(tenant_id=\? AND worker_id=\?/)
            }
            if (ran.text.includes("JOIN credential AS r")) {
              const index = "credential_held_by_worker_id (tenant_id=? AND worker_id=? AND credential_type=?)"
              assert.include(plan.join("\n"), index)
              assert.notInclude(plan.join("\n"), "B-TREE")
            }
          }
        }
      })
  )

  it.effect("no statement of a transition reads a whole table, and a batch finds its rows by id", () =>
    Effect.gen(function* () {
      const { first, ids, second, tenantId } = yield* prepared(3)
      const byIds = yield* recording(transferAll(tenantId, { _tag: "Ids", ids }, first, second))
      const byHolder = yield* recording(
        transferAll(tenantId, { _tag: "HeldBy", owner: second, limit: 501 }, second, first)
      )
      for (const ran of [...byIds.ran, ...byHolder.ran]) {
        const plan = yield* planOf(ran)
        assert.deepStrictEqual(tableScansOf(plan), [], ran.text)
        for (const line of plan.filter((one) => one.startsWith("SEARCH credential"))) {
          assert.match(line, /\(tenant_id=\? AND (id|worker_id)=\?/)
        }
      }
    })
  )

  it.effect("unchanged columns are not written: their indexes stay untouched", () =>
    Effect.gen(function* () {
      for (const count of [1, 2]) {
        const { first, ids, second, tenantId } = yield* prepared(count)
        const { ran } = yield* recording(transferAll(tenantId, { _tag: "Ids", ids }, first, second))
        const update = ran.find(({ text }) => text.includes("UPDATE credential"))?.text ?? ""
        assert.match(update, /SET worker_id = /)
        assert.notInclude(update, "applicant_id =")
        assert.notInclude(update, "identifier")
      }
    })
  )

  it.effect("a single row is written without SELECT or FROM, for which SQLite would copy the changed pages", () =>
    Effect.gen(function* () {
      const { first, ids, second, tenantId } = yield* prepared(1)
      const { ran } = yield* recording(transferAll(tenantId, { _tag: "Ids", ids }, first, second))
      const written = ran.filter(({ text }) => /^(UPDATE credential|INSERT INTO audit_event)/.test(text))
      assert.lengthOf(written, 2)
      for (const { text } of written) assert.notMatch(text, /SELECT|FROM/)
    })
  )

  it.effect("an update of a document with the same identifier does not write the identifier", () =>
    Effect.gen(function* () {
      const tenantId = freshTenant()
      const [id, identifier] = [mint("credential"), "WWC1234567E"]
      yield* put(Credential, tenantId, created(id, credentialFields({ worker: mint("worker") }, { identifier })))
      const update = (attributes: Partial<CredentialFields["attributes"]>) =>
        recording(
          revise(Credential, tenantId, id, (before) => ({
            ...before,
            version: before.version + 1,
            fields: { attributes: { ...before.fields.attributes, ...attributes } }
          }))
        )
      const statementOf = ({ ran }: Effect.Success<ReturnType<typeof update>>) =>
        ran.find(({ text }) => text.includes("UPDATE credential"))?.text
      assert.notInclude(statementOf(yield* update({ expiryDate: "2027-01-01" })), "identifier")
      assert.include(statementOf(yield* update({ identifier: "WWC7654321E" })), "identifier")
    })
  )

  it.effect(
    "revoking all legacy tokens of a user takes one statement, and so does ending all sessions; each uses an index",
    () =>
      Effect.gen(function* () {
        const { tenant } = yield* putTenant
        const user = yield* putUser(tenant.id)
        for (let count = 0; count < 3; count++) yield* putLegacyToken(user)
        const { ran } = yield* recording(rewrite(user, (now) => now, start))
        assert.deepStrictEqual(
          ran.flatMap(({ text }) => /^(?:UPDATE|INSERT INTO) (\w+)/.exec(text)?.[1] ?? []),
          ["account", "legacy_token", "session", "audit_event"]
        )
        for (const statement of ran.filter(({ text }) => !text.includes("INSERT"))) {
          assert.deepStrictEqual(tableScansOf(yield* planOf(statement)), [], statement.text)
        }
      })
  )

  it.effect("callers are found by an index, with one statement per read", () =>
    Effect.gen(function* () {
      const access = yield* AccessStore
      const firstPage = {
        conditions: [],
        direction: "asc",
        pageSize: 25,
        after: undefined,
        includeDeleted: false,
        includeTotal: false
      } as const
      const events = yield* EventStore
      const users = yield* UserStore
      const scans = yield* ScanStore
      for (const read of [
        access.findTenantByHost("host"),
        access.findAccount("tenant", "id"),
        access.findAccountByEmail("tenant", "email"),
        access.serviceAccount("tenant"),
        access.findClient("tenant", "client"),
        access.clients("tenant", firstPage),
        access.listClients("tenant"),
        access.findPersonalToken("tenant", "hash"),
        access.findPersonalTokenById("tenant", "id"),
        access.personalTokens("tenant", firstPage),
        access.listPersonalTokens("tenant"),
        access.touchPersonalToken("tenant", "id", start),
        users.organization((yield* putTenant).tenant.id),
        users.findByEmail("tenant", "email"),
        users.list("tenant", 0, 10),
        users.findLegacyToken("tenant", "id"),
        users.listLegacyTokens("tenant", "account", "id", 10),
        scans.list("tenant", firstPage),
        events.events("tenant", 0, 10),
        auditLog("tenant")
      ]) {
        const { ran } = yield* recording(read)
        assert.strictEqual(ran.length, 1)
        for (const statement of ran) {
          const plan = yield* planOf(statement)
          assert.deepStrictEqual(tableScansOf(plan), [], statement.text)
          assert.isTrue(
            plan.some((line) => /^SEARCH \w+ USING /.test(line)),
            plan.join("\n")
          )
          if (statement.text.includes("'service'")) assert.include(plan.join(), "account_service (tenant_id=?)")
        }
      }
    })
  )
})
