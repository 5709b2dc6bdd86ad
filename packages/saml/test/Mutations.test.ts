import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { vi } from "vitest"
import { check } from "./Check.ts"
import { goodResponses, seeds } from "./Good.ts"
import { changedNode, flippedBit, flippedField, type Mutant } from "./Mutation.ts"
import { oracleTakes } from "./Oracle.ts"

/** The library that both use lacks SHA-384; this package adds it. */
const unknownToOracle = ["RSA-SHA-384 and SHA-384", "SimpleSAMLphp 1.19.7 signs both with SHA-384"]

/** The unchanged login of each seed. */
const logins = new Map(seeds.map(({ name, post }) => [name, check(post)]))

describe("a good response that was changed is refused, or gives the same login", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] })
    // silence the oracle's parser warnings
    for (const method of ["error", "warn"] as const) vi.spyOn(console, method).mockImplementation(() => undefined)
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  /** An accepted response gives the same login, and node-saml accepts it too. */
  const holds = async ({ good, post }: Mutant) => {
    const login = check(post)
    if (Result.isFailure(login)) return
    assert.deepStrictEqual(login, logins.get(good.name))
    vi.setSystemTime(post.now)
    assert.isTrue(await oracleTakes(post), "node-saml refuses a response that we accept")
  }

  it("any bit of the XML", () => fc.assert(fc.asyncProperty(flippedBit, holds), { numRuns: 300 }))
  it("any character of the form field", () => fc.assert(fc.asyncProperty(flippedField, holds), { numRuns: 100 }))
  it("any element, attribute or text", () => fc.assert(fc.asyncProperty(changedNode, holds), { numRuns: 150 }))

  it("control: node-saml accepts the good responses too", async () => {
    const refused: Array<string> = []
    for (const { name, post } of goodResponses) {
      vi.setSystemTime(post.now)
      if (!(await oracleTakes(post))) refused.push(name)
    }
    assert.deepStrictEqual(refused, unknownToOracle)
  })
})
