import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { UnitMovesOf } from "@wcs/domain/credential/Units"
import { check } from "@wcs/store-suite/Property"
import { Effect, Layer, Redacted } from "effect"
import fc from "fast-check"
import {
  accessToken,
  applicant,
  at,
  credential,
  operator,
  reviewed,
  Service,
  textAt,
  tokenOf,
  unit,
  verified,
  worker
} from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { idsOf } from "../NewerSurface.ts"
import * as Row from "../Row.ts"

const named = (displayName: string, id?: string) => ({
  identity: { displayName },
  ...(id === undefined ? {} : { unit: { id } })
})

/** The calls of a Super Admin who is logged in. */
const loggedIn = Effect.gen(function* () {
  const { session } = yield* Service
  const { urn } = yield* tokenOf("Super Admin")
  return { as: null, headers: (yield* session(accountIdOf(urn))).headers }
})

/** The token of a user with a role that is limited to units. */
const limited = (units: ReadonlyArray<string>, role: "Admin" | "Viewer" = "Admin") => tokenOf({ role, units })

layer(layerService(), { excludeTestServices: true })("units", (it) => {
  it.effect("are a tree of four levels without circles, whose parents exist", () =>
    Effect.gen(function* () {
      const top = yield* unit({ externalId: "tree-top" })
      const second = yield* unit({ parent: { externalId: "tree-top" } })
      const third = yield* unit({ parent: { id: second } })
      const fourth = yield* unit({ parent: { id: third } })
      const lone = yield* unit()
      yield* Row.run([
        { call: "POST /units", body: { name: "Deep", parent: { id: fourth } }, expect: "UNPROCESSABLE: 4 levels" },
        { call: `PATCH /units/${top}`, body: { parent: { id: lone } }, expect: "UNPROCESSABLE: 4 levels" },
        { call: `PATCH /units/${top}`, body: { parent: { id: third } }, expect: "UNPROCESSABLE: below itself" },
        { call: `PATCH /units/${top}`, body: { parent: { id: top } }, expect: "UNPROCESSABLE: below itself" },
        {
          call: "POST /units",
          body: { name: "Lost", parent: { id: "unit_0000000000000000" } },
          expect: "UNPROCESSABLE: parent was not found among the units"
        },
        { call: `PATCH /units/${third}`, body: { parent: { id: lone } }, expect: { "data.parent": { id: lone } } },
        { call: `PATCH /units/${third}`, body: { parent: null }, expect: { "data.parent": undefined } },
        { call: `GET /units?parentId=${top}`, expect: { "data.0.id": second, "data.1": undefined } }
      ])
    })
  )

  it.effect("stay a tree when two moves at one time would make a circle together", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const [one, two] = [yield* unit(), yield* unit()]
      const below = (id: string, parent: string) =>
        call({ method: "PATCH", path: `/openapi/v1/units/${id}`, body: { parent: { id: parent } } })
      const moved = yield* Effect.all([below(one, two), below(two, one)], { concurrency: "unbounded" })
      assert.sameMembers(
        moved.map(({ status }) => status),
        [200, 422]
      )
    })
  )

  it.effect("is deleted without people and units, or when another one gets them, each by an entry of its own", () =>
    Effect.gen(function* () {
      const [old, next] = [yield* unit(), yield* unit()]
      const below = yield* unit({ parent: { id: old } })
      const moved = yield* worker({ unit: { id: old } })
      const applying = yield* applicant({ unit: { id: old } })
      const user = yield* limited([old])
      const { token: deleter } = yield* tokenOf(["unit:READ", "unit:DELETE"])
      // Nothing moves before the tag and the privileges are compared.
      yield* Row.run([
        { call: `DELETE /units/${old}?moveTo=${next}`, as: deleter, expect: "FORBIDDEN: UPDATE units" },
        {
          call: `DELETE /units/${old}?moveTo=${next}`,
          headers: { "if-match": '"1-a"' },
          expect: "PRECONDITION_FAILED"
        },
        { call: `GET /workers/${moved}`, expect: { "data.unit": { id: old } } }
      ])
      const [, , , , , , , entries] = yield* Row.run([
        { call: `DELETE /units/${old}`, expect: "UNPROCESSABLE: has people or units" },
        { call: `DELETE /units/${old}?moveTo=${old}`, expect: "INVALID_ARGUMENT: moveTo" },
        { call: `DELETE /units/${old}?moveTo=unit_0000000000000000`, expect: "UNPROCESSABLE: moveTo was not found" },
        { call: `DELETE /units/${old}?moveTo=${next}`, expect: 204 },
        { call: `DELETE /units/${old}?moveTo=${next}`, expect: 204 },
        { call: `GET /workers/${moved}`, expect: { "data.unit": { id: next } } },
        { call: `GET /units/${below}`, expect: { "data.parent": { id: next } } },
        { call: `GET /audit-events?entityId=${moved}&action=move`, expect: 200 },
        { call: `GET /applicants/${applying}`, expect: { "data.unit": { id: next } } },
        { call: `GET /workers/${moved}`, as: user.token, expect: "NOT_FOUND" },
        { call: "GET /me", as: user.token, expect: { "data.units": [] } }
      ])
      assert.strictEqual(at(entries ?? assert.fail(), "data.0.operation"), "UPDATE")
    })
  )

  it.effect("leave a person who comes back after the unit was deleted without one, and say so", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const [gone, kept] = [yield* unit(), yield* unit()]
      const removed = yield* worker({ ...named("Back Removed", gone), source: { sourceSystem: "back" } })
      const stayed = yield* applicant({ unit: { id: kept } })
      const [into, from] = [yield* worker(), yield* worker({ ...named("Back Merged", gone) })]
      yield* Row.run([
        { call: `DELETE /workers/${removed}`, expect: 204 },
        { call: `DELETE /applicants/${stayed}`, expect: 204 },
        { call: `POST /workers/${into}/merge`, body: { from }, expect: 200 },
        { call: `DELETE /units/${gone}`, expect: 204 },
        {
          call: `POST /workers/${removed}/restore`,
          expect: {
            "data.unit": undefined,
            "meta.warnings": ["the unit of this person was deleted, so the person has none now"]
          }
        },
        {
          call: `POST /applicants/${stayed}/restore`,
          expect: { "data.unit": { id: kept }, "meta.warnings": undefined }
        },
        { call: "GET /workers?unit=none&sourceSystem=back", expect: { "data.0.id": removed } }
      ])
      const merges = yield* call({ method: "GET", path: `/openapi/v1/merges?fromId=${from}` })
      yield* Row.run([
        { call: `POST /merges/${textAt(merges, "data.0.id")}/undo`, expect: { "data.status": "UNDONE" } },
        { call: `GET /workers/${from}`, expect: { "data.unit": undefined } }
      ])
    })
  )

  it.effect("find each person by one unit or by none, after any deletes, restores and moves", () =>
    check(
      fc.array(fc.constantFrom("remove", "restore", "toFirst", "toSecond", "endFirst", "endBoth"), { maxLength: 7 }),
      Effect.fnUntraced(function* (steps) {
        const { call } = yield* Service
        const [first, second] = [yield* unit(), yield* unit()]
        const externalId = randomUUID()
        const person = yield* worker({ ...named("Moving Person", first), source: { externalId } })
        const at = `/openapi/v1/workers/${person}`
        const move = (id: string) => ({ method: "PATCH", path: at, body: { unit: { id } } })
        const calls = {
          remove: { method: "DELETE", path: at },
          restore: { method: "POST", path: `${at}/restore` },
          toFirst: move(first),
          toSecond: move(second),
          endFirst: { method: "DELETE", path: `/openapi/v1/units/${first}` },
          endSecond: { method: "DELETE", path: `/openapi/v1/units/${second}` }
        }
        for (const step of steps) {
          // A unit with people is not deleted.
          if (step === "endFirst" || step === "endBoth") yield* call(calls.remove)
          for (const made of step === "endBoth" ? (["endFirst", "endSecond"] as const) : [step])
            yield* call(calls[made])
        }
        yield* call(calls.restore)
        const found = yield* Effect.forEach([first, second, "none"], (value) =>
          call({ method: "GET", path: `/openapi/v1/workers?externalId=${externalId}&unit=${value}` })
        )
        assert.deepStrictEqual(found.flatMap(idsOf), [person])
      }),
      { numRuns: 12 }
    )
  )

  it.effect("filter people with all units below, or those without a unit", () =>
    Effect.gen(function* () {
      const top = yield* unit()
      const below = yield* unit({ parent: { id: top } })
      const inTop = yield* worker({ ...named("Filter One", top), source: { sourceSystem: "filter" } })
      const inBelow = yield* worker({ ...named("Filter Two", below), source: { sourceSystem: "filter" } })
      const without = yield* worker({ ...named("Filter Three"), source: { sourceSystem: "filter" } })
      const [all, some, none, words, matrix] = yield* Row.run([
        { call: `GET /workers?unit=${top}`, expect: 200 },
        { call: `GET /workers?unit=${below}&includeTotal=true`, expect: { "meta.total": 1 } },
        { call: "GET /workers?unit=none&sourceSystem=filter", expect: 200 },
        { call: `GET /workers?unit=${top}&query=filter&includeTotal=true`, expect: { "meta.total": 2 } },
        { call: `GET /compliance-matrix?unit=${top}&sort=createdAt:desc`, expect: 200 },
        { call: "GET /workers?unit=nonsense", expect: "INVALID_ARGUMENT: unit" }
      ])
      assert.deepStrictEqual(idsOf(all ?? assert.fail()), [inTop, inBelow])
      assert.deepStrictEqual(idsOf(some ?? assert.fail()), [inBelow])
      assert.deepStrictEqual(idsOf(none ?? assert.fail()), [without])
      assert.deepStrictEqual(idsOf(words ?? assert.fail()), [inTop, inBelow])
      assert.strictEqual(at(matrix ?? assert.fail(), "data.0.worker.id"), inBelow)
    })
  )
})

layer(layerService(), { excludeTestServices: true })("a user who is limited to units", (it) => {
  it.effect("is so by an invitation or a change, unless a Super Admin, and loses what shows the whole tenant", () =>
    Effect.gen(function* () {
      const of = yield* unit({ name: "Ward" })
      const { email, token, urn } = yield* tokenOf("Admin")
      const { tenant, users } = yield* Service
      const id = accountIdOf(urn)
      const { urn: chief } = yield* tokenOf("Super Admin")
      const by = yield* loggedIn
      const invited = { email: "limited@example.org", role: "Viewer" }
      yield* Row.run([
        { call: "POST /users", ...by, body: { ...invited, units: [of] }, expect: { "data.units": [of] } },
        {
          call: "POST /users",
          ...by,
          body: { ...invited, email: "x@example.org", units: ["unit_0000000000000000"] },
          expect: "UNPROCESSABLE: units.0 was not found"
        },
        {
          call: "POST /users",
          ...by,
          body: { ...invited, email: "y@example.org", role: "Super Admin", units: [] },
          expect: "UNPROCESSABLE: Super Admin"
        },
        {
          call: `PATCH /users/${accountIdOf(chief)}`,
          ...by,
          body: { units: [of] },
          expect: "UNPROCESSABLE: Super Admin"
        },
        { call: "GET /users", as: token, expect: 200 },
        {
          call: `PATCH /users/${id}`,
          ...by,
          body: { units: [of] },
          expect: { "data.units": [of], "data.role": "Admin" }
        },
        { call: "GET /users", as: token, expect: "FORBIDDEN" },
        { call: "GET /webhooks", as: token, expect: "FORBIDDEN" },
        { call: "GET /imports", as: token, expect: "FORBIDDEN" },
        { call: "POST /units", as: token, body: { name: "Mine" }, expect: "FORBIDDEN" },
        { call: "GET /units", as: token, expect: { "data.0.id": of, "data.1": undefined } },
        { call: "GET /me", as: token, expect: { "data.role": "Admin", "data.units": [{ id: of, name: "Ward" }] } },
        {
          call: `PATCH /users/${id}`,
          ...by,
          body: { role: "Viewer" },
          expect: { "data.units": [of], "data.role": "Viewer" }
        },
        { call: `PATCH /users/${id}`, ...by, body: { units: null }, expect: { "data.units": null } },
        { call: "GET /users", as: token, expect: 200 }
      ])
      yield* Row.run([{ call: `PATCH /users/${id}`, ...by, body: { units: [of] }, expect: 200 }])
      // The operator's change of the role keeps the limit.
      yield* Effect.orDie(users.update(tenant.id, email, { role: "Data Manager" }, operator))
      yield* Row.run([{ call: "GET /me", as: token, expect: { "data.role": "Data Manager", "data.units.0.id": of } }])
    })
  )

  it.effect("reaches at once whom a change of the limit, of a unit or of a person says, with the same token", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* unit(), yield* unit()]
      const person = yield* worker({ unit: { id: one } })
      const { token, urn } = yield* limited([one])
      const by = yield* loggedIn
      const read = (expect: Row.Row["expect"]) => ({ call: `GET /workers/${person}`, as: token, expect })
      yield* Row.run([
        read(200),
        { call: `PATCH /users/${accountIdOf(urn)}`, ...by, body: { units: [two] }, expect: 200 },
        read("NOT_FOUND"),
        { call: `PATCH /units/${one}`, body: { parent: { id: two } }, expect: 200 },
        read(200),
        { call: `PATCH /workers/${person}`, body: { unit: null }, expect: 200 },
        read("NOT_FOUND"),
        { call: `PATCH /workers/${person}`, body: { unit: { id: two } }, expect: 200 },
        read(200),
        { call: `PATCH /users/${accountIdOf(urn)}`, ...by, body: { units: [] }, expect: 200 },
        read("NOT_FOUND")
      ])
    })
  )

  it.effect("creates people inside, and moves them between the own units only", () =>
    Effect.gen(function* () {
      const [one, two, outer] = [yield* unit(), yield* unit(), yield* unit()]
      const { token: as } = yield* limited([one, two])
      const [created] = yield* Row.run([
        { call: "POST /workers", as, body: named("Inside Person", one), expect: { "data.unit": { id: one } } },
        { call: "POST /workers", as, body: named("Nowhere"), expect: "INVALID_ARGUMENT: unit is required" },
        { call: "POST /workers", as, body: named("Outside", outer), expect: "UNPROCESSABLE: unit was not found" },
        {
          call: "POST /workers",
          as,
          body: named("Outside", "unit_0000000000000000"),
          expect: "UNPROCESSABLE: unit was not found"
        },
        { call: "POST /applicants", as, body: { emailAddress: "a@example.org" }, expect: "INVALID_ARGUMENT: unit" }
      ])
      const id = textAt(created, "data.id")
      yield* Row.run([
        { call: `PATCH /workers/${id}`, as, body: { unit: { id: two } }, expect: { "data.unit": { id: two } } },
        {
          call: `PATCH /workers/${id}`,
          as,
          body: { unit: { id: outer } },
          expect: "UNPROCESSABLE: unit was not found"
        },
        { call: `PATCH /workers/${id}`, as, body: { unit: null }, expect: "INVALID_ARGUMENT: unit is required" },
        // A client that knows no units must not take people out of theirs.
        { call: `PUT /workers/${id}`, as, body: named("Other Person"), expect: { "data.unit": { id: two } } },
        { call: `PUT /workers/${id}`, body: named("Inside Person"), expect: { "data.unit": { id: two } } },
        { call: `PATCH /workers/${id}`, body: { unit: null }, expect: { "data.unit": undefined } }
      ])
    })
  )

  it.effect("threat 68: finds a card with an owner outside, but not that owner, who stays the owner", () =>
    Effect.gen(function* () {
      const [inner, outer] = [yield* unit(), yield* unit()]
      const inside = yield* applicant({ unit: { id: inner } })
      const other = yield* applicant({ unit: { id: inner } })
      const hired = yield* worker({ unit: { id: inner } })
      const outsider = yield* worker({ ...named("Shared Outsider", outer), source: { externalId: "shared-out" } })
      const card = yield* credential({ worker: outsider, applicant: inside })
      const { token: as } = yield* limited([inner])
      const nobody = "wkr_0000000000000000"
      const path = `/credentials/${card}`
      const owner = (type: string, id: string) => ({ type, id })
      const seen = { "data.attributes.owners": { worker: null, applicant: inside } }
      const moved = { "data.attributes.owners": { worker: null, applicant: other } }
      const unlinking = { call: `POST ${path}/unlink`, as, expect: "OWNER_MISMATCH: an owner outside your units" }
      const answers = yield* Row.run([
        { call: `GET ${path}`, as, expect: seen },
        { call: `GET ${path}?include=owners`, as, expect: { ...seen, "data.owners.worker": null } },
        { call: `GET ${path}?asOf=${new Date().toISOString()}`, as, expect: seen },
        { call: `GET /credentials?ownerType=worker&ownerId=${outsider}`, as, expect: { "data.0": undefined } },
        { call: "GET /credentials?ownerExternalId=shared-out", as, expect: { "data.0": undefined } },
        { call: `GET ${path}/ownership`, as, expect: { "data.0.after": { worker: null, applicant: inside } } },
        { ...unlinking, body: owner("worker", outsider) },
        { ...unlinking, body: owner("worker", nobody) },
        {
          call: `POST ${path}/link`,
          as,
          body: owner("worker", hired),
          expect: "ALREADY_LINKED: an owner outside your units"
        },
        {
          call: `POST ${path}/transfer`,
          as,
          body: { from: owner("applicant", inside), to: owner("applicant", other) },
          expect: moved
        },
        {
          call: `POST ${path}/transfer`,
          as,
          body: { from: owner("applicant", other), to: owner("worker", outsider) },
          expect: "ALREADY_LINKED: an owner outside your units"
        },
        { call: `GET ${path}`, as, expect: moved }
      ])
      for (const { text } of answers) assert.isFalse(text.includes(outsider) && !text.includes('"error"'), text)
      yield* Row.run([
        { call: `GET ${path}`, expect: { "data.attributes.owners": { worker: outsider, applicant: other } } }
      ])
    })
  )

  it.effect("threat 68: changes, deletes, verifies or decides on no card of an owner outside", () =>
    Effect.gen(function* () {
      const [inner, outer] = [yield* unit(), yield* unit()]
      const owners = {
        worker: yield* worker({ unit: { id: outer } }),
        applicant: yield* applicant({ unit: { id: inner } })
      }
      const shared = yield* verified(
        owners,
        { credentialType: "WWCC_NSW", identifier: "WWC1234567E" },
        "DETAILS_MISSING"
      )
      const waiting = yield* verified(owners, reviewed, "QUEUED_MANUAL")
      const { token: as } = yield* limited([inner])
      const refused = "UNPROCESSABLE: has an owner outside your units"
      const day = new Date().toISOString().slice(0, 10)
      const gold = { attributes: { category: "Gold" } }
      const decision = { outcome: "MAY_ENGAGE", reason: "Seen", endsOn: day }
      const [before] = yield* Row.run([{ call: `GET /credentials/${shared}`, as, expect: 200 }])
      yield* Row.run([
        { call: `PATCH /credentials/${shared}`, as, body: gold, expect: refused },
        { call: `PUT /credentials/${shared}`, as, body: at(before, "data"), expect: refused },
        { call: `DELETE /credentials/${shared}`, as, expect: refused },
        { call: `POST /credentials/${shared}/decisions`, as, body: decision, expect: refused },
        {
          call: `GET /credentials/${shared}/decidable`,
          as,
          expect: { "data.outcomes": [], "data.ownerOutside": true }
        },
        {
          call: `POST /credentials/${shared}/notices`,
          as,
          body: { statusDetail: "BARRED", issuedOn: day, reference: "1" },
          expect: refused
        },
        { call: `POST /credentials/${waiting}/review`, as, body: { statusDetail: "BARRED" }, expect: refused },
        { call: `POST /credentials/${shared}/verify`, as, body: { forceRefresh: true }, expect: refused },
        { call: `DELETE /credentials/${shared}`, expect: 204 },
        { call: `GET /credentials/${shared}/decidable`, as, expect: { "data.ownerOutside": true } },
        { call: `GET /credentials/${shared}/decidable`, expect: "NOT_FOUND" },
        { call: `POST /credentials/${shared}/restore`, as, expect: refused },
        // The other owner is inside now.
        { call: `PATCH /workers/${owners.worker}`, body: { unit: { id: inner } }, expect: 200 },
        { call: `POST /credentials/${shared}/restore`, as, expect: 200 },
        { call: `PATCH /credentials/${shared}`, as, body: gold, expect: { "data.attributes.category": "Gold" } },
        { call: `DELETE /credentials/${shared}`, as, expect: 204 }
      ])
    })
  )

  it.effect("threat 68: learns neither whom a merge outside kept, nor the unit above the own ones", () =>
    Effect.gen(function* () {
      const outer = yield* unit()
      const inner = yield* unit({ parent: { id: outer } })
      const below = yield* unit({ parent: { id: inner } })
      const { token: as } = yield* limited([inner])
      const [from, other] = [yield* worker({ unit: { id: inner } }), yield* worker({ unit: { id: inner } })]
      const [outside, inside] = [yield* worker({ unit: { id: outer } }), yield* worker({ unit: { id: below } })]
      const merge = (into: string, gone: string) => ({
        call: `POST /workers/${into}/merge`,
        body: { from: gone },
        expect: 200
      })
      const unknown = `NOT_FOUND: ${from} was not found among the workers`
      yield* Row.run([
        merge(outside, from),
        merge(inside, other),
        { call: `GET /workers/${from}`, as, expect: unknown },
        { call: `PATCH /workers/${from}`, as, body: named("Nobody"), expect: unknown },
        { call: `POST /workers/${from}/restore`, as, expect: unknown },
        { call: `GET /workers/${from}?includeDeleted=true`, as, expect: { "data.mergedInto": undefined } },
        { call: `GET /workers/${from}`, expect: `NOT_FOUND: ${from} was merged into ${outside}` },
        { call: `GET /workers/${other}`, as, expect: `NOT_FOUND: ${other} was merged into ${inside}` },
        { call: `GET /units/${inner}`, as, expect: { "data.parent": undefined } },
        { call: `GET /units/${below}`, as, expect: { "data.parent": { id: inner } } },
        { call: `GET /units/${inner}`, expect: { "data.parent": { id: outer } } },
        { call: `GET /units?parentId=${outer}`, as, expect: { data: [] } },
        { call: `GET /units?parentId=${inner}`, as, expect: { "data.0.id": below } }
      ])
      const [listed] = yield* Row.run([{ call: "GET /units", as, expect: 200 }])
      assert.notInclude(listed.text, outer)
    })
  )

  it.effect("gets the whole card again when an owner moved out, with any tag that the call compares", () =>
    Effect.gen(function* () {
      const [inner, outer] = [yield* unit(), yield* unit()]
      const owners = {
        worker: yield* worker({ unit: { id: inner } }),
        applicant: yield* applicant({ unit: { id: inner } })
      }
      const card = yield* credential(owners)
      const { token: as } = yield* limited([inner])
      const [first] = yield* Row.run([
        { call: `GET /credentials/${card}`, as, expect: { "data.attributes.owners": owners } }
      ])
      const headers = { "if-none-match": first.headers["etag"] ?? assert.fail() }
      yield* Row.run([
        { call: `PATCH /workers/${owners.worker}`, body: { unit: { id: outer } }, expect: 200 },
        {
          ...{ call: `GET /credentials/${card}`, as, headers },
          expect: { "data.attributes.owners": { ...owners, worker: null } }
        },
        { call: `GET /credentials/${card}`, headers, expect: 304 }
      ])
    })
  )

  it.effect("transfers a card only to a person whom the user reaches", () =>
    Effect.gen(function* () {
      const [inner, outer] = [yield* unit(), yield* unit()]
      const [from, to] = [yield* worker({ unit: { id: inner } }), yield* worker({ unit: { id: inner } })]
      const outsider = yield* worker({ unit: { id: outer } })
      const card = yield* credential({ worker: from })
      const { token: as } = yield* limited([inner])
      const of = (id: string) => ({ type: "worker", id })
      const call = `POST /credentials/${card}/transfer`
      yield* Row.run([
        { call, as, body: { from: of(from), to: of(outsider) }, expect: "UNPROCESSABLE: There is no worker" },
        { call, as, body: { from: of(from), to: of(to) }, expect: 200 },
        {
          call: "POST /credentials/transfer",
          as,
          body: { from: of(to), to: of(outsider) },
          expect: { "data.0.status": "skipped" }
        }
      ])
    })
  )

  it.effect("threat 2: keeps the limit, unless the caller has all privileges of the whole role", () =>
    Effect.gen(function* () {
      const { urn } = yield* limited([yield* unit()])
      const lifting = { call: `PATCH /users/${accountIdOf(urn)}`, body: { units: null } }
      const people = ["worker", "applicant", "credential", "credentialCheck", "captureRequest", "exemption"] as const
      const all = (["READ", "CREATE", "UPDATE", "DELETE"] as const).flatMap((operation) =>
        people.map((type) => `${type}:${operation}` as const)
      )
      const further = [
        ...(["ban:READ", "screeningPackage:READ", "complianceCheck:READ", "unit:READ"] as const),
        ...(["verification:UPDATE", "task:READ", "task:UPDATE", "user:READ", "user:UPDATE"] as const)
      ]
      const { session } = yield* Service
      const clerk = yield* tokenOf([...all, ...further])
      const { headers } = yield* session(accountIdOf(clerk.urn))
      yield* Row.run([
        { ...lifting, as: null, headers, expect: "FORBIDDEN" },
        { ...lifting, ...(yield* loggedIn), expect: { "data.units": null } }
      ])
    })
  )

  it.effect("gets no warning about a duplicate outside", () =>
    Effect.gen(function* () {
      const [inner, outer] = [yield* unit(), yield* unit()]
      const twice = {
        identity: { displayName: "Twice Known", birthDate: "1990-04-17" },
        source: { externalId: "tw-1" }
      }
      yield* worker({ ...twice, unit: { id: outer } })
      const { token: as } = yield* limited([inner])
      yield* Row.run([
        {
          call: "POST /workers",
          as,
          body: { ...twice, unit: { id: inner } },
          expect: { "meta.warnings": undefined }
        }
      ])
      // The card is found through its applicant, and its worker is outside.
      const [own, applying] = [yield* worker({ unit: { id: inner } }), yield* applicant({ unit: { id: inner } })]
      const card = { credentialType: "FIRST_AID", identifier: "TWICE-1" }
      yield* credential({ worker: yield* worker({ unit: { id: outer } }), applicant: applying }, card)
      const body = { attributes: { ...card, owners: { worker: own } } }
      yield* Row.run([{ call: "POST /credentials", as, body, expect: { "meta.warnings": undefined } }])
    })
  )

  it.effect("cannot use the legacy surface, and no client is limited", () =>
    Effect.gen(function* () {
      const { call, tenant, users } = yield* Service
      const { email } = yield* limited([yield* unit()])
      yield* Effect.orDie(users.setVerified(tenant.id, email, true, operator))
      const made = yield* Effect.orDie(users.createToken(tenant.id, email, 60, operator))
      const answer = yield* call({
        method: "GET",
        path: "/api/users/me",
        token: Redacted.value(made.token)
      })
      assert.strictEqual(answer.status, 401)
      const { token } = yield* accessToken()
      yield* Row.run([{ call: "GET /me", as: token, expect: { "data.units": null } }])
    })
  )
})

layer(Layer.provide(layerService(raisedLimits), Layer.succeed(UnitMovesOf, { millis: 0, people: 2 })), {
  excludeTestServices: true
})("a unit with more people than one call moves", (it) => {
  it.effect("is deleted by the same call again, and each says how many people are left", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const [old, next] = [yield* unit(), yield* unit()]
      const workers = yield* Effect.forEach([1, 2, 3], () => worker({ unit: { id: old } }))
      const applying = yield* applicant({ unit: { id: old } })
      const remove = call({ method: "DELETE", path: `/openapi/v1/units/${old}?moveTo=${next}` })
      for (const [moved, left] of [
        [2, 2],
        [1, 1]
      ]) {
        const answer = yield* remove
        assert.strictEqual(answer.status, 422)
        assert.strictEqual(answer.headers["retry-after"], "0")
        assert.include(textAt(answer, "error.message"), `${moved} people of ${old} were moved, and ${left} are left`)
        yield* Row.run([{ call: `GET /units/${old}`, expect: 200 }])
      }
      assert.strictEqual((yield* remove).status, 204)
      yield* Row.run([
        ...workers.map((id) => ({ call: `GET /workers/${id}`, expect: { "data.unit": { id: next } } })),
        { call: `GET /applicants/${applying}`, expect: { "data.unit": { id: next } } },
        { call: `GET /units/${old}`, expect: "NOT_FOUND" }
      ])
    })
  )
})
