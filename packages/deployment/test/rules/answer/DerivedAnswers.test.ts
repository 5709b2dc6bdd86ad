import { assert, layer } from "@effect/vitest"
import { everyPrivilege, type PrivilegeName } from "@wcs/domain/access/Privilege"
import { Effect } from "effect"
import {
  type Call,
  complianceCheck,
  credential,
  exemption,
  reviewed,
  Service,
  tokenOf,
  verified,
  worker
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, root } from "../NewerSurface.ts"

/** A call whose response shows entities of another group. */
interface Derived {
  readonly name: string
  /** In the order in which a refusal names the first missing one. */
  readonly needs: ReadonlyArray<PrivilegeName>
  /** A new call, and a text that only its response to a privileged caller contains. */
  readonly make: Effect.Effect<{ readonly call: Call; readonly tells: string }, never, Service>
}

const evaluation = (exemptionsCount: boolean): Derived["make"] =>
  Effect.gen(function* () {
    const id = yield* worker()
    yield* exemption({ worker: { id } }, { exemptedCredentialTypes: ["WWCC_VIC"] })
    const code = yield* complianceCheck({
      requirement: { credentialTypes: ["FIRST_AID", "WWCC_VIC"], exemptionsCount }
    })
    const path = `${root}/compliance-checks/${code}/evaluate`
    return { call: { method: "POST", path, body: { workers: [{ id }] } }, tells: "FIRST_AID" }
  })

const matrix = (exemptionsCount: boolean): Derived["make"] =>
  Effect.gen(function* () {
    const externalId = yield* Effect.map(worker(), (id) => `hr ${id}`)
    const id = yield* worker({ source: { externalId } })
    const code = yield* complianceCheck({ requirement: { credentialTypes: ["FIRST_AID"], exemptionsCount } })
    const path = `${root}/compliance-matrix?checkId=${code}&externalId=${encodeURIComponent(externalId)}`
    return { call: { method: "GET", path }, tells: id }
  })

const included = (pathOf: (worker: string) => string): Derived["make"] =>
  Effect.gen(function* () {
    const id = yield* worker({ source: { sourceSystem: "derived" } })
    const held = yield* credential({ worker: id })
    return { call: { method: "GET", path: root + pathOf(id) }, tells: held }
  })

const owned = (pathOf: (credential: string) => string): Derived["make"] =>
  Effect.gen(function* () {
    const id = yield* worker({ identity: { displayName: "Olive Owner" } })
    const held = yield* credential({ worker: id })
    return { call: { method: "GET", path: root + pathOf(held) }, tells: "Olive Owner" }
  })

const derived: ReadonlyArray<Derived> = [
  {
    name: "an evaluation",
    needs: ["complianceCheck:READ", "worker:READ", "credential:READ"],
    make: evaluation(false)
  },
  {
    name: "an evaluation that includes exemptions",
    needs: ["complianceCheck:READ", "worker:READ", "credential:READ", "exemption:READ"],
    make: evaluation(true)
  },
  {
    name: "a compliance matrix",
    needs: ["complianceCheck:READ", "worker:READ", "credential:READ"],
    make: matrix(false)
  },
  {
    name: "a compliance matrix that includes exemptions",
    needs: ["complianceCheck:READ", "worker:READ", "credential:READ", "exemption:READ"],
    make: matrix(true)
  },
  {
    name: "a worker with credentials",
    needs: ["worker:READ", "credential:READ"],
    make: included((id) => `/workers/${id}?include=credentials`)
  },
  {
    name: "workers with credentials",
    needs: ["worker:READ", "credential:READ"],
    make: included(() => "/workers?sourceSystem=derived&sort=createdAt:desc&include=credentials")
  },
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
    name: "a credential after its review",
    needs: ["verification:UPDATE", "credential:READ"],
    make: Effect.gen(function* () {
      const id = yield* verified({ worker: yield* worker() }, reviewed, "QUEUED_MANUAL")
      const path = `${root}/credentials/${id}/review`
      return { call: { method: "POST", path, body: { statusDetail: "VALID" } }, tells: id }
    })
  }
]

const words: Readonly<Record<string, string>> = {
  "complianceCheck:READ": "READ compliance checks",
  "worker:READ": "READ workers",
  "applicant:READ": "READ applicants",
  "credential:READ": "READ credentials",
  "exemption:READ": "READ exemptions",
  "verification:UPDATE": "UPDATE verifications"
}

layer(layerService())("responses with several entity types", (it) => {
  it.effect.each(derived)("PRV-06, threat 45: $name needs each of its privileges, and no others", ({ make, needs }) =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const made = yield* make
      const sets = [
        [],
        ...needs.map((name) => needs.filter((other) => other !== name)),
        ...needs.map((name) => everyPrivilege.filter((other) => other !== name))
      ]
      for (const privileges of sets) {
        const { token, urn } = yield* tokenOf(privileges)
        const missing = needs.find((name) => !privileges.includes(name))
        const answer = yield* call({ ...made.call, token })
        assertRefused(answer, "FORBIDDEN", `${urn} is unauthorized to ${words[missing ?? ""]}.`)
        assert.notInclude(answer.text, made.tells)
      }
      const { token } = yield* tokenOf(needs)
      const answer = yield* call({ ...made.call, token })
      assertStatus(answer, 200)
      assert.include(answer.text, made.tells)
    })
  )
})
