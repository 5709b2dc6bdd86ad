import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { checkProof } from "@wcs/domain/proof/ProofCheck"
import { toRfc3339 } from "@wcs/domain/shared/Instant"
import { verifierOf } from "@wcs/keys/AuditSignatures"
import { Effect } from "effect"
import { at, complianceCheck, engaging, Service, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertStatus, get, idOfNothing, root } from "../NewerSurface.ts"
import { run } from "../Row.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The proof of an answer, checked by the keys that it has. */
const proven = Effect.fnUntraced(function* (path: string) {
  const { call } = yield* Service
  const answer = yield* call({ method: "GET", path: `${root}${path}` })
  assertStatus(answer, 200)
  const keys = yield* verifierOf(Object(at(answer, "data")).keys)
  const { proof } = yield* Effect.orDie(checkProof(answer.text, { seal: keys, proof: keys.proof }, sha256))
  return proof
})

const reads = ["complianceCheck:READ", "worker:READ", "credential:READ", "ban:READ", "exemption:READ"] as const

// The tests of the domain alter proofs, and those of `wcs audit verify` check sealed ones on both engines.
layer(layerService(), { excludeTestServices: true })("the proof of a worker", (it) => {
  it.effect("R16: has the facts, verdicts and records of the time asked for, and says what is not sealed yet", () =>
    Effect.gen(function* () {
      const { advance, now } = yield* Service
      const ann = yield* worker({ identity: { displayName: "Ann", birthDate: "1990-04-01" } })
      const code = yield* complianceCheck({ requirement: { credentialTypes: ["FIRST_AID"] } })
      yield* advance(1)
      const before = toRfc3339(yield* now)
      yield* advance(1)
      const card = yield* engaging(ann)
      const later = yield* proven(`/workers/${ann}/proof`)
      assert.deepInclude(
        later.checks.find(({ complianceCheckId }) => complianceCheckId === code),
        { result: "PASS", missingCredentialTypes: [], isSealed: false }
      )
      assert.deepInclude(later.cards[0], { credentialId: card, displayName: "Ann", birthDate: "1990-04-01" })
      assert.include(
        later.records.map(({ coverage }) => coverage),
        "PENDING"
      )
      assert.isNotNull(later.nextSealDue)
      const earlier = yield* proven(`/workers/${ann}/proof?asOf=${before}`)
      assert.deepInclude(earlier.cards[0], { credentialId: null, displayName: "Ann" })
      assert.deepInclude(
        earlier.checks.find(({ complianceCheckId }) => complianceCheckId === code),
        { result: "FAIL", missingCredentialTypes: ["FIRST_AID"] }
      )
    })
  )

  it.effect("needs what reads as of a time need, and shows the audit log to its readers only", () =>
    Effect.gen(function* () {
      const ann = yield* worker()
      const path = `/workers/${ann}/proof`
      const officer = (yield* tokenOf(reads)).token
      yield* run([
        { call: `GET ${path}`, as: officer, expect: { "data.entries": [], "data.people": [] } },
        { call: `GET ${path}?asOf=soon`, expect: "INVALID_ARGUMENT: asOf" },
        { call: `GET ${path}?asOf=2999-01-01`, expect: "INVALID_ARGUMENT: future" },
        { call: `GET ${path}?page=1`, expect: "INVALID_ARGUMENT: page" },
        { call: "GET /workers/ann/proof", expect: "INVALID_ARGUMENT: id" },
        { call: `GET /workers/${idOfNothing(ann)}/proof`, expect: "NOT_FOUND" }
      ])
      for (const missing of reads) {
        const { token } = yield* tokenOf(reads.filter((privilege) => privilege !== missing))
        yield* run([{ call: `GET ${path}`, as: token, expect: "FORBIDDEN" }])
      }
      assert.isNotEmpty((yield* proven(path)).entries)
      assert.isNotEmpty((yield* proven(path)).people)
      assert.strictEqual((yield* get(path)).headers["vary"], "accept")
    })
  )

  it.effect("R16: tells no verdict if it cannot have all exemptions", () =>
    Effect.gen(function* () {
      const ann = yield* worker()
      yield* complianceCheck({ requirement: { credentialTypes: ["FIRST_AID"] } })
      const body = { worker: { id: ann }, exemptionType: "overseas", exemptedCredentialTypes: ["FIRST_AID"] }
      const add = run([{ call: "POST /exemptions", body, expect: {} }])
      yield* Effect.forEach(Array.from({ length: 100 }), () => add)
      assert.isNotEmpty((yield* proven(`/workers/${ann}/proof`)).checks)
      yield* add
      const proof = yield* proven(`/workers/${ann}/proof`)
      assert.deepStrictEqual(proof.checks, [])
      assert.match(proof.remarks.join(" "), /No compliance check is judged/)
    })
  )

  it.effect("has ids and verdicts of an erased person, no name, and says so", () =>
    Effect.gen(function* () {
      const { advance, call, now, session } = yield* Service
      yield* advance(1)
      const early = toRfc3339((yield* now) - 1)
      const { urn } = yield* tokenOf("Super Admin")
      const { headers } = yield* session(accountIdOf(urn), 0)
      const ann = yield* worker({ identity: { displayName: "Plantedname", birthDate: "1990-04-01" } })
      const card = yield* engaging(ann)
      const before = toRfc3339(yield* now)
      yield* advance(60)
      const body = { reason: "PERSON_ASKED" }
      yield* run([{ call: `POST /workers/${ann}/erase`, as: null, headers, body, expect: { "data.status": "ERASED" } }])
      const proof = yield* proven(`/workers/${ann}/proof?asOf=${before}`)
      assert.strictEqual(proof.asOf, proof.madeAt) // the records of the day asked for are gone
      assert.include(proof.remarks.join(" "), before)
      yield* run([{ call: `GET /workers/${ann}/proof?asOf=${early}`, expect: "NOT_FOUND" }])
      assert.isNotNull(proof.erasedAt)
      assert.deepStrictEqual(proof.checks, [])
      assert.deepInclude(proof.cards[0], {
        credentialId: card,
        identifier: null,
        birthDate: null,
        displayName: "(erased)"
      })
      assert.match(proof.remarks.join(" "), /was erased/)
      const answer = { method: "GET", path: `${root}/workers/${ann}/proof`, headers: { accept: "text/html" } } as const
      const page = yield* call(answer)
      assert.include(page.text, "This person was erased")
      assert.notInclude(JSON.stringify(proof) + page.text, "Plantedname")
    })
  )
})
