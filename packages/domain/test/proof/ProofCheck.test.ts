import { assert, describe, it } from "@effect/vitest"
import { claimOf, digestsOf, emptyChain, endAfter, type SealClaim, sealOf } from "@wcs/domain/audit/AuditSeal"
import type { ProofClaim } from "@wcs/domain/audit/AuditSignatures"
import type { LoggedEntry } from "@wcs/domain/audit/LoggedEntry"
import type { RecordVersion } from "@wcs/domain/audit/RecordVersion"
import { fnv1a } from "@wcs/domain/lease/Fnv"
import { checkProof, textOf } from "@wcs/domain/proof/ProofCheck"
import { coverageOf, factsOf, factsVersion, type ProofRecord } from "@wcs/domain/proof/ProofFacts"
import {
  claimOfProof,
  digestsOfParts,
  doesNotProve,
  form,
  type Proof,
  type ProofContent,
  proves
} from "@wcs/domain/proof/ProofFile"
import { rulesVersion } from "@wcs/domain/screening/ComplianceEvaluation"
import { isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"
import { Effect, Option } from "effect"
import fc from "fast-check"

const tenantId = "tnt_0000000000000001"
const requestId = "01JX0000000000000000000000"

/** A hash that is good enough for tests, since the domain has none of its own. */
const sha256 = (text: string): string =>
  Array.from({ length: 8 }, (_, index) => fnv1a(`${index} ${text}`).toString(16).padStart(8, "0")).join("")

/** A signature that only holders of a key could make: the claim as text, with the name of the key. */
const signed = (key: string, claim: SealClaim | ProofClaim): string => JSON.stringify([key, claim])

/** Keys that trust one signer. */
const trusting = (trusted: string) => {
  const verify = <Claim>(signature: string): Effect.Effect<Option.Option<Claim>> =>
    Effect.sync(() => {
      const [key, claim] = Option.getOrElse(
        Option.liftThrowable((text: string): [unknown, Claim] => JSON.parse(text))(signature),
        (): [unknown, Claim | undefined] => [undefined, undefined]
      )
      return key === trusted ? Option.fromUndefinedOr(claim) : Option.none()
    })
  return { seal: verify<SealClaim>, proof: verify<ProofClaim> }
}

const version = (kind: RecordVersion["kind"], id: string, document: object, workerId = ""): RecordVersion => ({
  ...{ kind, id, version: 1, workerId, applicantId: "", createdAt: 1000, updatedAt: 1000, deletedAt: null },
  document: JSON.stringify(document)
})

const ann = "wkr_0000000000000001"
const card = "cred_0000000000000001"

const versions: ReadonlyArray<RecordVersion> = [
  version("worker", ann, { identity: { displayName: "Ann" }, employment: { workerType: "EMPLOYEE" } }, ann),
  version(
    "credential",
    card,
    {
      attributes: {
        ...{ credentialType: "WWCC_NSW", identifier: "WWC1234567E", eligibility: "MAY_ENGAGE", statusDetail: "VALID" },
        ...{ expiryDate: "2030-01-01", lastVerifiedAt: "2026-10-01T00:00:00.000Z", owners: {} }
      }
    },
    ann
  ),
  version(
    "exemption",
    "exm_0000000000000001",
    { worker: { id: ann }, exemptionType: "a", exemptedCredentialTypes: ["FIRST_AID"] },
    ann
  ),
  version("complianceCheck", "children", {
    ...{ code: "children", displayName: "Children", severity: "WARNING", enabled: true },
    requirement: { credentialTypes: ["WWCC_NSW"], mode: "ALL", exemptionsCount: false }
  })
]

const entry = (position: number, entityId: string): LoggedEntry => ({
  ...{ position, id: `aud_${position}`, account: "urn:wcs:operator", bearerKind: null, bearerId: null },
  ...{ operation: "CREATE", action: "create", entityType: "credential", entityId, requestId, at: 1000 },
  ...{ workerBefore: null, applicantBefore: null, workerAfter: null, applicantAfter: null }
})

/** Two entries: one is in the proof, the other one is about somebody else. */
const logged = [entry(1, card), entry(2, "cred_0000000000000002")] as const

/** A proof whose last record and a second entry have no seal. */
const make = (): ProofContent => {
  const salts = versions.slice(0, 3).map((each, index) => ({ version: each, salt: `salt ${index}` }))
  const seal = sealOf(emptyChain, tenantId, logged, 5000, sha256, salts)
  const records = versions.map((each, index): ProofRecord => {
    const salt = salts[index]?.salt
    return salt === undefined
      ? { ...each, coverage: "NOT_SEALED", seal: null, salt: "" }
      : { ...each, coverage: "SEALED", seal: 1, salt }
  })
  return {
    ...{ form, requestId, proves, doesNotProve, tenantId, organization: "Org", asOf: "2026-10-03T00:00:00.000Z" },
    ...{
      day: "2026-10-03",
      timeZone: "Australia/Sydney",
      madeAt: "2026-11-29T00:00:00.000Z",
      madeBy: "urn:wcs:operator"
    },
    ...{ rulesVersion, factsVersion, workerId: ann, erasedAt: null, remarks: [], nextSealDue: null },
    ...factsOf(records, { today: "2026-10-03", timeZone: "Australia/Sydney" }, false),
    people: [{ account: "urn:wcs:operator", name: "The operator" }],
    records,
    entries: [
      { entry: logged[0], seal: 1 },
      { entry: entry(9, card), seal: null }
    ],
    seals: [
      { seal: { ...seal, signature: signed("ours", claimOf(seal, sha256)) }, digests: digestsOf(logged, sha256) }
    ],
    keys: [{ kid: "ours" }]
  }
}

/** Signs a content as the service does. */
const proofOf = (content: JsonObject, key = "ours"): JsonObject => {
  const digests = digestsOfParts(content, sha256)
  return { ...content, digests, signature: signed(key, claimOfProof(String(content["tenantId"]), digests, sha256)) }
}

const content = make() as unknown as JsonObject

/** The proof with one more seal: of another entry, and of versions that anybody wrote into the store. */
const withSeal = (
  forged: ReadonlyArray<RecordVersion>,
  { isFollowing = true, sealedAt = 6000, tenant = tenantId } = {}
): JsonObject => {
  const { seals, ...others } = make()
  const [first] = seals
  if (first === undefined) throw new Error("there is a seal")
  const more = [entry(3, "cred_0000000000000003")] as const
  const salted = forged.map((each) => ({ version: each, salt: "forged" }))
  const end = { ...endAfter(first.seal, sha256), ...(isFollowing ? {} : { hash: "another" }) }
  const seal = sealOf(end, tenant, more, sealedAt, sha256, salted)
  const second = {
    seal: { ...seal, signature: signed("ours", claimOf(seal, sha256)) },
    digests: digestsOf(more, sha256)
  }
  return { ...others, seals: [first, second] } as unknown as JsonObject
}

const atProof = Date.parse("2026-10-03T00:00:00.000Z")

/** Returns what a check says about a document. */
const judge = (data: JsonObject, trusted = "ours") =>
  Effect.runSync(
    Effect.match(checkProof(textOf(data, String(data["requestId"])), trusting(trusted), sha256), {
      onSuccess: () => "accepted",
      onFailure: ({ reason }) => reason
    })
  )

type Place = ReadonlyArray<string | number>

/** The places of all values that are neither an object nor a list. */
const leavesOf = (value: JsonValue, place: Place = []): ReadonlyArray<Place> => {
  if (Array.isArray(value)) return value.flatMap((each: JsonValue, index) => leavesOf(each, [...place, index]))
  if (!isObject(value)) return [place]
  return Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...place, key]))
}

/** Another value of the same type, so that no schema refuses it. */
const other = (value: JsonValue): JsonValue => {
  if (typeof value === "string") return value === "" ? "x" : `${value.slice(0, -1)}${value.endsWith("a") ? "b" : "a"}`
  if (typeof value === "number") return value + 1
  return typeof value === "boolean" ? !value : 7
}

/** Returns a document with another value at a place. */
const withOther = (value: JsonValue, [key, ...rest]: Place): JsonValue => {
  if (key === undefined) return other(value)
  if (Array.isArray(value)) return value.map((each: JsonValue, index) => (index === key ? withOther(each, rest) : each))
  if (!isObject(value)) return value
  return { ...value, [key]: withOther(value[key] ?? null, rest) }
}

const anyLeaf = (document: JsonObject) => fc.constantFrom(...leavesOf(document))

/** Parts that only the signature of the file covers. Other times, days and zones are valid if they fit each other. */
const signedOnly: ReadonlyArray<string> = [
  ...["proves", "doesNotProve", "organization", "madeAt", "madeBy", "remarks", "nextSealDue", "people", "keys"],
  ...["requestId", "rulesVersion", "factsVersion", "form", "asOf", "day", "timeZone"]
]

const isSealed = ([part, index, field]: Place): boolean => {
  if (part === "entries") return index === 0
  if (part === "records") return index !== 3 || field === "coverage"
  return !signedOnly.includes(String(part))
}

describe("the check of a proof", () => {
  const proof = proofOf(content)

  it("threat 67: accepts a proof as it was made, by a trusted key only", () => {
    assert.strictEqual(judge(proof), "accepted")
    assert.include(judge(proof, "another"), "not trusted")
    assert.include(judge(proofOf(content, "another")), "not trusted")
  })

  it("threat 67: refuses any other value and names its part", () => {
    fc.assert(
      fc.property(anyLeaf(proof), (place) => {
        const said = judge(withOther(proof, place) as JsonObject)
        const [part, index] = place
        const name = typeof index === "number" ? `${part}[${index}]` : String(part)
        if (part === "signature") assert.include(said, "the signature was altered")
        else if (part === "digests") assert.include(said, String(place[1]))
        else if (part === "requestId") assert.match(said, /requestId|meta/)
        else assert.include(said, name)
      }),
      { numRuns: 300 }
    )
  })

  it("threat 67: refuses what differs from its seal, even if the service signed it", () => {
    const sealedLeaves = leavesOf(content).filter(isSealed)
    fc.assert(
      fc.property(fc.constantFrom(...sealedLeaves), (place) => {
        const said = judge(proofOf(withOther(content, place) as JsonObject))
        assert.notStrictEqual(said, "accepted", place.join("."))
      }),
      { numRuns: 300 }
    )
  })

  it("threat 67: accepts no part without its seal as sealed", () => {
    const { records } = content as unknown as Proof
    const claimed = records.map((record) => ({ ...record, coverage: "SEALED", seal: 1, salt: "salt 3" }))
    assert.match(judge(proofOf({ ...content, records: claimed })), /is not as seal 1 has it/)
    const without = { ...content, seals: [] }
    assert.match(judge(proofOf(without)), /is not as seal 1 has it/)
  })

  it("threat 67: refuses a record if a seal of that time names a later version", () => {
    const barred = { ...version("credential", card, {}, ann), version: 2 }
    assert.match(judge(proofOf(withSeal([barred]))), /version 1, was not the newest: seal 2 has version 2/)
    assert.match(judge(proofOf(withSeal([barred], { sealedAt: atProof }))), /was not the newest/)
    assert.strictEqual(judge(proofOf(withSeal([barred], { sealedAt: atProof + 1 }))), "accepted")
  })

  it("threat 67: refuses a record if two seals name different texts of one version", () => {
    const cleared = version("credential", card, { attributes: {} }, ann)
    assert.match(judge(proofOf(withSeal([cleared]))), /credential cred_\d+, version 1, is not as seal 2 has it/)
  })

  it("threat 67: refuses a record without a seal that a seal names", () => {
    const check = version("complianceCheck", "children", {})
    assert.match(judge(proofOf(withSeal([check]))), /children, version 1, is stated without a seal, but seal 2 has it/)
  })

  it("threat 67: refuses a seal of another organization, and one that does not follow the one before", () => {
    assert.strictEqual(judge(proofOf(withSeal([]))), "accepted")
    assert.match(judge(proofOf(withSeal([], { tenant: "tnt_2" }))), /seal 2 is of another organization/)
    assert.match(judge(proofOf(withSeal([], { isFollowing: false }))), /seal 2 does not follow the one before/)
  })

  it("threat 67: takes a record that was sealed long after it was written for sealed only from then on", () => {
    const hour = 3_600_000
    const written = { updatedAt: atProof - 2 * hour }
    assert.strictEqual(coverageOf(written, atProof - hour, 0), "SEALED")
    assert.strictEqual(coverageOf(written, atProof, atProof), "SEALED")
    assert.strictEqual(coverageOf(written, atProof, atProof - 1), "SEALED_LATER")

    const check = version("complianceCheck", "children", JSON.parse(versions[3]?.document ?? ""))
    const late = withSeal([check], { sealedAt: atProof + 1 })
    const withCoverage = (coverage: ProofRecord["coverage"]) => {
      const records = make().records.map((record) =>
        record.kind === "complianceCheck" ? { ...record, coverage, seal: 2, salt: "forged" } : record
      )
      const facts = factsOf(records, { today: "2026-10-03", timeZone: "Australia/Sydney" }, false)
      return { ...facts, said: judge(proofOf({ ...late, ...facts, records } as unknown as JsonObject)) }
    }
    assert.include(withCoverage("SEALED").said, "is not SEALED")
    const stated = withCoverage("SEALED_LATER")
    assert.strictEqual(stated.said, "accepted")
    assert.isFalse(stated.checks[0]?.isSealed)
  })

  it("checks facts of another version by digests, signature and seals alone, and does not compute them", () => {
    const others = { factsVersion: factsVersion + 1, cards: [{ anything: "else" }], checks: [], exemptions: [] }
    const checkOf = (stated: JsonObject) =>
      Effect.runSync(checkProof(textOf(proofOf(stated), requestId), trusting("ours"), sha256))
    assert.isTrue(checkOf(content).isRecomputed)
    const { isRecomputed, proof: read } = checkOf({ ...content, ...others })
    assert.deepStrictEqual([isRecomputed, read.cards], [false, others.cards])
    const { records } = make()
    const altered = records.map((record) => ({ ...record, document: record.document.replace("Ann", "Eve") }))
    assert.match(judge(proofOf({ ...content, ...others, records: altered })), /is not as seal 1 has it/)
    assert.include(judge(proofOf({ ...content, ...others, factsVersion })), "not a proof")
  })

  it("threat 67: refuses an erasure that the record of the worker does not have", () => {
    const erasedAt = "2026-11-01T00:00:00.000Z"
    const { records } = make()
    const facts = factsOf(records, { today: "2026-10-03", timeZone: "Australia/Sydney" }, true)
    assert.match(judge(proofOf({ ...content, ...facts, erasedAt } as unknown as JsonObject)), /`erasedAt` is not that/)
  })

  it("threat 67: refuses a day that is not that of the time in the zone", () => {
    assert.match(judge(proofOf({ ...content, day: "2026-10-04" })), /`day` is not that of `asOf`/)
    assert.match(judge(proofOf({ ...content, timeZone: "Pacific/Honolulu" })), /`day` is not that of `asOf`/)
  })

  it("threat 67: refuses a part that was added or removed", () => {
    const { records, ...others } = content as unknown as ProofContent
    const fewer = { ...proof, records: records.slice(1) } as unknown as JsonObject
    assert.match(judge(fewer), /records\[/)
    assert.match(judge({ ...proof, records: [...records, records[0]] } as unknown as JsonObject), /records\[4\]/)
    assert.match(judge({ ...proof, note: "cleared" }), /note was altered/)
    assert.match(
      judge(proofOf({ ...others, records, note: "cleared" } as unknown as JsonObject)),
      /note is not a known/
    )
  })

  it("threat 67: refuses another order of the parts", () => {
    for (const name of ["asOf", "remarks", "digests"]) {
      const { [name]: moved = null, ...others } = proof
      assert.strictEqual(judge({ ...others, [name]: moved }), "the order of the parts was altered", name)
    }
  })

  it("refuses a text that was written anew, and one that is no proof", () => {
    const said = (text: string) => Effect.runSync(Effect.flip(checkProof(text, trusting("ours"), sha256))).reason
    const text = textOf(proof, requestId)
    assert.include(said(` ${text}`), "written anew")
    assert.include(said(JSON.stringify(JSON.parse(text), null, 2)), "written anew")
    assert.include(said(text.replace(requestId, requestId.replace("J", "K"))), "`meta` was altered")
    assert.include(said(text.slice(1)), "not a proof")
    assert.include(said("{}"), "not a proof")
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    assert.include(said(`{"data":{"form":${deep}}}`), "nested too deep")
  })
})
