import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { checkProof } from "@wcs/domain/proof/ProofCheck"
import { factsVersion } from "@wcs/domain/proof/ProofFacts"
import { rulesVersion } from "@wcs/domain/screening/ComplianceEvaluation"
import { makeTrustedKeys } from "@wcs/wcs/audit/Keys"
import { sha256 } from "@wcs/wcs/audit/Walk"
import { Effect } from "effect"

// A proof that a service has made, as an auditor keeps it for years. The file never changes. If this test fails after a
// change of the facts or of their rules, raise `factsVersion` or `rulesVersion`, and keep a file of the new version beside it.

const kid = "E7S7q-ZrNO_C5QQzNHXti3V9dS6-1szHCp7lKOnKz3Y"
const text = readFileSync(new URL("proof-1-2.txt", import.meta.url), "utf8")

it.effect(
  "threat 67: accepts the kept proof, and computes its facts again as long as its rules are the present ones",
  () =>
    Effect.gen(function* () {
      const keys = makeTrustedKeys(new Set([kid]))
      for (const key of JSON.parse(text).data.keys) yield* keys.add(key)
      const { isRecomputed, proof } = yield* checkProof(text, { seal: keys.verify, proof: keys.verifyProof }, sha256)
      assert.deepStrictEqual([proof.factsVersion, proof.rulesVersion], [1, 2])
      assert.strictEqual(isRecomputed, factsVersion === 1 && rulesVersion === 2)
      assert.deepInclude(proof.cards[0], { displayName: "Ann <b>Example</b>", eligibility: "REVIEW_REQUIRED" })
      assert.deepInclude(proof.checks[0], { complianceCheckId: "children", result: "FAIL", isSealed: true })
    })
)
