import { assert, layer } from "@effect/vitest"
import { type Endpoint, endpointsOf } from "@wcs/api/Endpoints"
import { unguarded } from "@wcs/api/Guard"
import { NewerSurface, newerRoot } from "@wcs/api/NewerSurface"
import { everyPrivilege } from "@wcs/domain/access/Privilege"
import { AnswerAccessStore } from "@wcs/domain/answer/AnswerAccessStore"
import { AccountNames } from "@wcs/domain/audit/AccountNames"
import { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { ResourceHistory } from "@wcs/domain/crud/ResourceHistory"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { DocumentContent } from "@wcs/domain/document/DocumentContent"
import { DocumentStore } from "@wcs/domain/document/DocumentStore"
import { ErasureStore } from "@wcs/domain/erasure/ErasureStore"
import { ImportStore } from "@wcs/domain/import/ImportStore"
import { LeaseStore } from "@wcs/domain/lease/LeaseStore"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import { DuplicateStore } from "@wcs/domain/merge/DuplicateStore"
import { MergeStore } from "@wcs/domain/merge/MergeStore"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import { NoteStore } from "@wcs/domain/note/NoteStore"
import { ProofStore } from "@wcs/domain/proof/ProofStore"
import { ScheduleStore } from "@wcs/domain/schedule/ScheduleStore"
import { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import { SecondFactorStore } from "@wcs/domain/second-factor/SecondFactorStore"
import { SessionStore } from "@wcs/domain/session/SessionStore"
import { SingleSignOnStore } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { UserStore } from "@wcs/domain/user/UserStore"
import { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { WarningStore } from "@wcs/domain/watch/WarningStore"
import { BacklogStore } from "@wcs/domain/webhook/BacklogStore"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Context, Effect, Layer } from "effect"
import * as Deployment from "./Deployment.ts"

/** The recorded store calls in order, such as `ResourceStore.find`. */
class Asked extends Context.Service<Asked, Array<string>>()("@wcs/http/test/Asked") {}

/** A store that records each method call and each effect that is used. */
const spied = <Store extends object>(name: string, store: Store, asked: Array<string>): Store =>
  new Proxy(store, {
    get: (target, method, receiver) => {
      const value: unknown = Reflect.get(target, method, receiver)
      const ask = () => asked.push(`${name}.${String(method)}`)
      if (typeof value !== "function") {
        ask()
        return value
      }
      return new Proxy(value, {
        apply: (called, self, given) => {
          ask()
          return Reflect.apply(called, self, given)
        }
      })
    }
  })

const spies = Layer.effectContext(
  Effect.gen(function* () {
    const asked = yield* Asked
    return Context.empty()
      .pipe(
        Context.add(AccessStore, spied("AccessStore", yield* AccessStore, asked)),
        Context.add(ResourceStore, spied("ResourceStore", yield* ResourceStore, asked)),
        Context.add(ResourceHistory, spied("ResourceHistory", yield* ResourceHistory, asked)),
        Context.add(OwnershipStore, spied("OwnershipStore", yield* OwnershipStore, asked)),
        Context.add(UserStore, spied("UserStore", yield* UserStore, asked)),
        Context.add(ScanStore, spied("ScanStore", yield* ScanStore, asked)),
        Context.add(EventStore, spied("EventStore", yield* EventStore, asked)),
        Context.add(AuditSealStore, spied("AuditSealStore", yield* AuditSealStore, asked)),
        Context.add(VerificationStore, spied("VerificationStore", yield* VerificationStore, asked)),
        Context.add(KeptComplianceStore, spied("KeptComplianceStore", yield* KeptComplianceStore, asked)),
        Context.add(ScheduleStore, spied("ScheduleStore", yield* ScheduleStore, asked)),
        Context.add(WarningStore, spied("WarningStore", yield* WarningStore, asked)),
        Context.add(ErasureStore, spied("ErasureStore", yield* ErasureStore, asked)),
        Context.add(ImportStore, spied("ImportStore", yield* ImportStore, asked))
      )
      .pipe(
        Context.add(MergeStore, spied("MergeStore", yield* MergeStore, asked)),
        Context.add(DuplicateStore, spied("DuplicateStore", yield* DuplicateStore, asked)),
        Context.add(ProofStore, spied("ProofStore", yield* ProofStore, asked)),
        Context.add(AccountNames, spied("AccountNames", yield* AccountNames, asked)),
        Context.add(BacklogStore, spied("BacklogStore", yield* BacklogStore, asked)),
        Context.add(AnswerAccessStore, spied("AnswerAccessStore", yield* AnswerAccessStore, asked)),
        Context.add(MessageStore, spied("MessageStore", yield* MessageStore, asked)),
        Context.add(DocumentStore, spied("DocumentStore", yield* DocumentStore, asked)),
        Context.add(DocumentContent, spied("DocumentContent", yield* DocumentContent, asked)),
        Context.add(NoteStore, spied("NoteStore", yield* NoteStore, asked)),
        Context.add(DeliveryStore, spied("DeliveryStore", yield* DeliveryStore, asked)),
        Context.add(LeaseStore, spied("LeaseStore", yield* LeaseStore, asked)),
        Context.add(SessionStore, spied("SessionStore", yield* SessionStore, asked)),
        Context.add(SecondFactorStore, spied("SecondFactorStore", yield* SecondFactorStore, asked)),
        Context.add(SingleSignOnStore, spied("SingleSignOnStore", yield* SingleSignOnStore, asked))
      )
  })
).pipe(Layer.provide(StoreSqlite.layerMemory))

const deployment = Layer.unwrap(
  Effect.sync(() => {
    const asked = Layer.succeed(Asked, [])
    return Deployment.layer(Deployment.services(Layer.provide(spies, asked))).pipe(Layer.merge(asked))
  })
)

/** The recorded store calls, without the checks of cached tokens and hosts. */
const askedBy = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const asked = yield* Asked
  const before = asked.length
  const answer = yield* effect
  return { answer, asked: asked.slice(before).filter((method) => method !== "AccessStore.epoch") }
})

const guarded = endpointsOf(NewerSurface).filter(({ name }) => !unguarded.includes(name))
const json = { "content-type": "application/json" }

/** Bad requests: invalid JSON, wrong type, too large, unknown id, malformed id. */
const badCalls = ({ method, path }: Endpoint): ReadonlyArray<Deployment.Call> => {
  const [group = ""] = path.slice(newerRoot.length + 1).split("/")
  const missing = { workers: "wkr_", applicants: "app_" }[group] ?? "cred_"
  const paths = [path.replace(":id", `${missing}0000000000000000`), path.replace(":id", "nonsense")]
  const bodies: ReadonlyArray<Pick<Deployment.Call, "body" | "headers">> =
    method === "GET"
      ? [{}]
      : [
          {},
          { body: "{", headers: json },
          { body: "{}", headers: json },
          { body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } },
          { body: `"${"a".repeat(1024 * 1024)}"`, headers: json }
        ]
  return paths.flatMap((at) => bodies.map((sent) => ({ method, path: `${at}?sort=nonsense`, ...sent })))
}

layer(deployment, { excludeTestServices: true })("threat 3: a refused call reaches no store", (it) => {
  it.effect("PRV-07, PRV-08: without the privilege, with any kind of bad body or id", () =>
    Effect.gen(function* () {
      const { tokenOf } = yield* Deployment.Settled
      for (const route of guarded.filter(({ guard }) => guard?.privileges.length !== 0)) {
        const [needed] = route.guard?.privileges ?? []
        const name = `${needed?.entityType}:${needed?.operation}`
        const token = yield* tokenOf(everyPrivilege.filter((privilege) => privilege !== name))
        yield* Deployment.call({ path: `${newerRoot}/nonsense`, token }) // from here on the token is known
        for (const bad of badCalls(route)) {
          const { answer, asked } = yield* askedBy(Deployment.call({ ...bad, token }))
          assert.strictEqual(answer.status, 403, `${route.name}: ${answer.text}`)
          assert.deepStrictEqual(asked, [], route.name)
        }
      }
    })
  )

  it.effect("control: with the privilege and a good body, the call reaches the resource store", () =>
    Effect.gen(function* () {
      const { tokenOf } = yield* Deployment.Settled
      const token = yield* tokenOf("Super Admin")
      const body = JSON.stringify({ identity: { displayName: "Ann" } })
      const create = { method: "POST", path: `${newerRoot}/workers`, token, headers: json, body }
      const listed = yield* askedBy(Deployment.call({ path: `${newerRoot}/workers`, token }))
      assert.strictEqual(listed.answer.status, 200)
      assert.includeMembers(listed.asked, ["AccessStore.findPersonalToken", "ResourceStore.list"])
      const { answer, asked } = yield* askedBy(Deployment.call(create))
      assert.strictEqual(answer.status, 201)
      assert.deepStrictEqual(asked, ["ResourceStore.change"])
    })
  )

  it.effect("AUT-01, threat 13: without a token, or with a malformed token", () =>
    Effect.gen(function* () {
      const { tokenOf } = yield* Deployment.Settled
      const good = yield* tokenOf("Super Admin")
      const jwt = `${btoa('{"alg":"none"}')}.${btoa("{}")}.`
      const misspelt = `${good.slice(0, -1)}${good.endsWith("0") ? "1" : "0"}` // its checksum says so
      const tokens = [undefined, "nonsense", misspelt, `${good}0`, "wcs_pat_", jwt, "a".repeat(5000)]
      yield* Deployment.call({ path: `${newerRoot}/workers` }) // from here on the host is known
      for (const route of guarded) {
        for (const token of tokens) {
          const call = { method: route.method, path: route.path, ...(token === undefined ? {} : { token }) }
          const { answer, asked } = yield* askedBy(Deployment.call(call))
          assert.strictEqual(answer.status, 401, route.name)
          assert.deepStrictEqual(asked, [], `${route.name} ${token}`)
        }
      }
    })
  )

  it.effect("with an unknown path, an unsupported method, a form, or an unreadable body", () =>
    Effect.gen(function* () {
      const { tokenOf } = yield* Deployment.Settled
      const token = yield* tokenOf("Super Admin")
      const workers = `${newerRoot}/workers`
      yield* Deployment.call({ path: `${newerRoot}/nonsense`, token })
      const table: ReadonlyArray<readonly [status: number, call: Deployment.Call]> = [
        [404, { path: `${newerRoot}/nonsense` }],
        [405, { method: "DELETE", path: workers }],
        [400, { path: `${workers}?sort=nonsense` }],
        [400, { path: `${workers}/nonsense` }],
        [400, { method: "POST", path: workers, headers: json, body: "{" }],
        [400, { method: "POST", path: workers, headers: json, body: "{}" }],
        [413, { method: "POST", path: workers, headers: json, body: `"${"a".repeat(1024 * 1024)}"` }],
        [415, { method: "POST", path: workers, headers: { "content-type": "text/plain" }, body: "{}" }]
      ]
      for (const [status, call] of table) {
        const { answer, asked } = yield* askedBy(Deployment.call({ ...call, token }))
        assert.strictEqual(answer.status, status, `${call.method} ${call.path}: ${answer.text}`)
        assert.deepStrictEqual(asked, [], `${call.method} ${call.path}`)
      }
    })
  )
})
