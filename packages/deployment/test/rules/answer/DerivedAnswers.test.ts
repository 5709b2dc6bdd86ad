import { assert, layer } from "@effect/vitest"
import { everyPrivilege, type PrivilegeName } from "@wcs/domain/access/Privilege"
import { Effect } from "effect"
import {
  applicant,
  ban,
  type Call,
  complianceCheck,
  credential,
  exemption,
  fetchRequest,
  recruitmentCheck,
  reviewed,
  Service,
  screeningPackage,
  tokenOf,
  worker
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, root } from "../NewerSurface.ts"

/** A call whose response shows entities of another group. */
interface Derived {
  readonly name: string
  readonly needs: ReadonlyArray<PrivilegeName>
  /** A new call, and a text that only its response to a privileged caller contains. */
  readonly make: Effect.Effect<{ readonly call: Call; readonly tells: string }, never, Service>
}

const requirement = { credentialTypes: ["FIRST_AID"], exemptionsCount: true }

const evaluation: Derived["make"] = Effect.gen(function* () {
  const id = yield* worker()
  const path = `${root}/compliance-checks/${yield* complianceCheck({ requirement })}/evaluate`
  return { call: { method: "POST", path, body: { workers: [{ id }] } }, tells: "FIRST_AID" }
})

const matrix: Derived["make"] = Effect.gen(function* () {
  const id = yield* worker({ source: { externalId: "derived" } })
  const path = `${root}/compliance-matrix?checkId=${yield* complianceCheck({ requirement })}&externalId=derived`
  return { call: { method: "GET", path }, tells: id }
})

const report = (headers: Call["headers"] = {}): Derived["make"] =>
  Effect.gen(function* () {
    const held = yield* credential({ worker: yield* worker({ source: { externalId: "reported" } }) }, reviewed)
    const path = `${root}/reports/verifications?externalId=reported`
    return { call: { method: "GET", path, headers }, tells: held }
  })

const included: Derived["make"] = Effect.gen(function* () {
  const held = yield* credential({ worker: yield* worker({ source: { sourceSystem: "derived" } }) })
  return { call: { method: "GET", path: `${root}/workers?sourceSystem=derived&include=credentials` }, tells: held }
})

const owned = (pathOf: (credential: string) => string): Derived["make"] =>
  Effect.gen(function* () {
    const id = yield* worker({ identity: { displayName: "Olive Owner" } })
    const held = yield* credential({ worker: id })
    return { call: { method: "GET", path: root + pathOf(held) }, tells: "Olive Owner" }
  })

const named = (make: (worker: string) => Effect.Effect<unknown, never, Service>, path: string): Derived["make"] =>
  Effect.gen(function* () {
    yield* make(yield* worker({ identity: { displayName: "Olive Owner" } }))
    return { call: { method: "GET", path: root + path }, tells: "Olive Owner" }
  })

// A walk of the suite judges an evaluation without exemptions and one worker with credentials. `Routes.test.ts` in
// `packages/http` has the privileges of the matrix and of a review.
const derived: ReadonlyArray<Derived> = [
  {
    name: "an evaluation that includes exemptions",
    needs: ["complianceCheck:READ", "worker:READ", "credential:READ", "ban:READ", "exemption:READ"],
    make: evaluation
  },
  {
    name: "a compliance matrix that includes exemptions",
    needs: ["complianceCheck:READ", "worker:READ", "credential:READ", "ban:READ", "exemption:READ"],
    make: matrix
  },
  { name: "a report of verifications", needs: ["worker:READ", "credential:READ"], make: report() },
  {
    name: "a report of verifications as CSV",
    needs: ["worker:READ", "credential:READ"],
    make: report({ accept: "text/csv" })
  },
  { name: "workers with credentials", needs: ["worker:READ", "credential:READ"], make: included },
  {
    name: "a credential with its owners",
    needs: ["credential:READ", "worker:READ", "applicant:READ"],
    make: owned((id) => `/credentials/${id}?include=owners`)
  },
  {
    name: "credentials with their owners",
    needs: ["credential:READ", "worker:READ", "applicant:READ"],
    make: owned(() => "/credentials?sort=createdAt:desc&include=owners")
  },
  {
    name: "exemptions with their people",
    needs: ["exemption:READ", "worker:READ", "applicant:READ"],
    make: named((worker) => exemption({ worker: { id: worker } }), "/exemptions?sort=createdAt:desc&include=owners")
  },
  {
    name: "bans with their workers",
    needs: ["ban:READ", "worker:READ", "applicant:READ"],
    make: named((worker) => ban(worker), "/bans?include=owners")
  },
  {
    name: "fetch requests with their workers",
    needs: ["captureRequest:READ", "worker:READ", "applicant:READ"],
    make: named((worker) => fetchRequest({ id: worker }), "/fetch-requests?include=owners")
  },
  {
    name: "recruitment checks with their applicants as a file",
    needs: ["credentialCheck:READ", "worker:READ", "applicant:READ"],
    make: Effect.gen(function* () {
      const id = yield* applicant({ displayName: "Olive Owner" })
      yield* recruitmentCheck({ id }, yield* screeningPackage())
      const call = { path: `${root}/recruitment-checks?include=owners`, headers: { accept: "text/csv" } }
      return { call: { method: "GET", ...call }, tells: "Olive Owner" }
    })
  }
]

const words: Readonly<Record<string, string>> = {
  "complianceCheck:READ": "READ compliance checks",
  "worker:READ": "READ workers",
  "applicant:READ": "READ applicants",
  "credential:READ": "READ credentials",
  "ban:READ": "READ bans",
  "captureRequest:READ": "READ fetch requests",
  "credentialCheck:READ": "READ recruitment checks",
  "exemption:READ": "READ exemptions"
}

layer(layerService())("responses with several entity types", (it) => {
  it.effect.each(derived)("PRV-06, threat 45: $name needs each of its privileges, and no others", ({ make, needs }) =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const made = yield* make
      for (const missing of needs) {
        const { token, urn } = yield* tokenOf(everyPrivilege.filter((name) => name !== missing))
        const answer = yield* call({ ...made.call, token })
        assertRefused(answer, "FORBIDDEN", `${urn} is unauthorized to ${words[missing]}.`)
        assert.notInclude(answer.text, made.tells)
      }
      const { token } = yield* tokenOf(needs)
      const answer = yield* call({ ...made.call, token })
      assertStatus(answer, 200)
      assert.include(answer.text, made.tells)
    })
  )
})
