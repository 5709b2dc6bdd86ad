import { type Argon2Parameters, argon2Sync } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { getPriority } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { choose, isAcceptable, Passwords } from "@wcs/domain/user/Passwords"
import { hashingThreads, make, niceness } from "@wcs/keys/HashingThreads"
import * as Keys from "@wcs/keys/Passwords"
import { Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"

const service = Layer.provide(Keys.layer, SecureRandom.layerWebCrypto)
const withPasswords = <A, E>(use: (passwords: Passwords["Service"]) => Effect.Effect<A, E>) =>
  Effect.provide(Passwords.use(use), service)

/** A hash function that blocks until released. Records its inputs and how many ran concurrently. */
const held = Effect.gen(function* () {
  const go = yield* Deferred.make<void>()
  const seen = { parameters: Array.of<Argon2Parameters>(), underWay: 0, most: 0 }
  const argon2id = (parameters: Argon2Parameters) =>
    Effect.sync(() => {
      seen.parameters.push(parameters)
      seen.most = Math.max(seen.most, ++seen.underWay)
    }).pipe(
      Effect.andThen(Deferred.await(go)),
      Effect.andThen(
        Effect.sync(() => {
          seen.underWay--
          return new Uint8Array(parameters.tagLength)
        })
      )
    )
  const passwords = yield* Keys.make.pipe(
    Effect.provideService(Keys.Argon2id, argon2id),
    Effect.provide(SecureRandom.layerWebCrypto)
  )
  return { passwords, seen, letGo: Deferred.succeed(go, undefined) }
})

const secret = (text: string) => Redacted.make(text)

/** A stranger of a tenant. */
const stranger = { tenantId: "acme", address: "198.51.100.1" }

/** The niceness of each thread of this process, from Linux. */
const nicenesses = () =>
  readdirSync("/proc/self/task").map((thread) => {
    const fields = readFileSync(`/proc/self/task/${thread}/stat`, "utf8").split(") ").at(-1)?.split(" ")
    return Number(fields?.[16])
  })

describe("hashing threads", () => {
  // Only on Linux has each thread a priority of its own.
  if (process.platform === "linux") {
    it.live("have a lower priority than the thread of requests, are used again, and end with the scope", () =>
      Effect.gen(function* () {
        const own = getPriority()
        const nice = () => nicenesses().filter((niceness) => niceness !== own)
        const before = nice().length
        const parameters = {
          message: "a",
          nonce: Buffer.alloc(16),
          memory: 64,
          passes: 1,
          parallelism: 1,
          tagLength: 32
        }
        yield* Effect.scoped(
          Effect.gen(function* () {
            const argon2id = yield* make
            for (let n = 0; n < 3; n++) {
              assert.deepStrictEqual(Buffer.from(yield* argon2id(parameters)), argon2Sync("argon2id", parameters))
            }
            assert.deepStrictEqual(nice().slice(before), [niceness])
            yield* Effect.all([argon2id(parameters), argon2id(parameters)], { concurrency: 2 })
            assert.lengthOf(nice(), before + 2)
            assert.strictEqual(getPriority(), own)
          })
        )
        assert.lengthOf(nice(), before)
      })
    )
  }

  it.live("report a failure, and the next hash succeeds", () =>
    Effect.gen(function* () {
      const argon2id = yield* make
      const parameters = { message: "a", nonce: Buffer.alloc(16), memory: 64, passes: 1, parallelism: 1, tagLength: 32 }
      assert.isTrue(Exit.isFailure(yield* Effect.exit(argon2id({ ...parameters, nonce: Buffer.alloc(1) }))))
      assert.lengthOf(yield* argon2id(parameters), 32)
    })
  )
})

describe("Passwords", () => {
  it.live("refuses the most common passwords in any letter case, and accepts others", () =>
    withPasswords((passwords) =>
      Effect.gen(function* () {
        for (const common of ["qwertyuiop", "1q2w3e4r5t", "Password123", "CALIFORNIA", "basketball"]) {
          const { reason } = Object(yield* Effect.flip(choose(passwords, secret(common), "acme")))
          assert.strictEqual(reason, "is too common: choose another password", common)
        }
        for (const short of ["password", "123456789"]) {
          assert.match(
            Object(yield* Effect.flip(choose(passwords, secret(short), "acme"))).reason,
            /^must have 10 to 128/
          )
        }
        for (const rare of ["qwertyuiop from Perth", "correct horse battery"]) {
          assert.isTrue(yield* passwords.verify(secret(rare), yield* choose(passwords, secret(rare), "acme"), stranger))
        }
      })
    )
  )

  it.live("distinguishes the hashed password from every other", () =>
    withPasswords((passwords) =>
      Effect.gen(function* () {
        const hash = yield* passwords.hash(secret("correct horse"), stranger)
        assert.isTrue(yield* passwords.verify(secret("correct horse"), hash, stranger))
        for (const other of ["correct hors", "Correct horse", "correct horse ", "", "x".repeat(10_000)]) {
          assert.isFalse(yield* passwords.verify(secret(other), hash, stranger), other.slice(0, 20))
        }
      })
    )
  )

  it.live("is argon2id with 19 MiB, 2 passes and 1 lane, in the PHC format (RFC 9106)", () =>
    withPasswords((passwords) =>
      Effect.gen(function* () {
        const hash = yield* passwords.hash(secret("correct horse"), stranger)
        const [, salt = "", tag = ""] =
          /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([\w+/]{22})\$([\w+/]{43})$/.exec(hash) ?? []
        const expected = argon2Sync("argon2id", {
          message: "correct horse",
          nonce: Buffer.from(salt, "base64"),
          parallelism: 1,
          memory: 19456,
          passes: 2,
          tagLength: 32
        })
        assert.strictEqual(tag, expected.toString("base64").replace(/=+$/, ""))
        assert.notStrictEqual(yield* passwords.hash(secret("correct horse"), stranger), hash)
      })
    )
  )

  it.live("accepts a password in any Unicode composition (SP 800-63B)", () =>
    withPasswords((passwords) =>
      Effect.gen(function* () {
        assert.isTrue(
          yield* passwords.verify(
            secret("cafe\u0301 ﬁne"),
            yield* passwords.hash(secret("café fine"), stranger),
            stranger
          )
        )
      })
    )
  )

  it.live("does the same work for an unknown user and answers no (threat 8)", () =>
    Effect.gen(function* () {
      const { letGo, passwords, seen } = yield* held
      yield* letGo
      const hash = yield* passwords.hash(secret("correct horse"), stranger)
      seen.parameters.length = 0
      assert.isFalse(yield* passwords.verify(secret("wrong"), hash.replace(/.$/, "Q"), stranger))
      assert.isFalse(yield* passwords.verify(secret("wrong"), null, stranger))
      const [user, nobody] = seen.parameters.map((each) => ({ ...each, nonce: "a salt" }))
      assert.isDefined(user)
      assert.deepStrictEqual(nobody, user)
      assert.lengthOf(seen.parameters, 2)
    })
  )

  it.live("computes as many hashes concurrently as there are threads, even if callers are interrupted", () =>
    Effect.gen(function* () {
      const { letGo, passwords, seen } = yield* held
      const verify = passwords.verify(secret("wrong"), null, stranger)
      const impatient = yield* Effect.forEach(Array.from({ length: 12 }), () => Effect.forkChild(verify))
      yield* Effect.yieldNow
      const stopping = yield* Effect.forkChild(Fiber.interruptAll(impatient))
      const patient = yield* Effect.forEach(Array.from({ length: 12 }), () => Effect.forkChild(verify))
      yield* Effect.yieldNow
      assert.strictEqual(seen.underWay, hashingThreads, "the thread continues after its caller is interrupted")
      yield* letGo
      yield* Fiber.joinAll(patient)
      yield* Fiber.join(stopping)
      assert.strictEqual(seen.most, hashingThreads)
    })
  )

  it.live(
    "threat 43: 64 may wait; while one network floods, another party is hashed next, and the flood loses a place",
    () =>
      Effect.gen(function* () {
        const { letGo, passwords, seen } = yield* held
        const refused: Array<unknown> = []
        const verifyAs = (name: string, tenantId: string, address: string) =>
          Effect.forkChild(
            Effect.catch(passwords.verify(secret(name), null, { tenantId, address }), (busy) =>
              Effect.sync(() => refused.push(busy))
            )
          )
        const flood = yield* Effect.forEach(Array.from({ length: 160 }), (_, index) =>
          verifyAs("flood", "acme", `2001:db8:7:${index.toString(16)}::/64`)
        )
        yield* Effect.yieldNow
        assert.lengthOf(refused, 160 - 64 - hashingThreads)
        assert.deepInclude(refused[0], { _tag: "PasswordsBusy", retryAfterSeconds: 1 })
        const others = [
          yield* verifyAs("other tenant", "other", "198.51.100.7"),
          yield* verifyAs("other network", "acme", "2001:db8:8::/64")
        ]
        yield* Effect.yieldNow
        assert.lengthOf(refused, 160 - 64 - hashingThreads + 2)
        yield* letGo
        yield* Fiber.joinAll([...flood, ...others])
        const turns = seen.parameters.map(({ message }) => String(message)).slice(hashingThreads)
        assert.deepStrictEqual(turns.slice(0, 4), ["flood", "other tenant", "other network", "flood"])
        assert.lengthOf(turns, 64)
      })
  )

  it("accepts passwords of 10 to 128 user-perceived characters, none of them invisible", () => {
    const rows: ReadonlyArray<readonly [string, boolean]> = [
      ["", false],
      ["123456789", false],
      ["1234567890", true],
      ["ﬁﬁﬁﬁﬁ", true],
      ["\u{1F600}".repeat(9), false],
      ["\u{1F600}".repeat(10), true],
      ["x".repeat(128), true],
      ["x".repeat(129), false],
      ["12345678901\n", false],
      ["\u00001234567890", false],
      [Buffer.from("pässwörter", "latin1").toString(), false]
    ]
    for (const [password, expected] of rows) assert.strictEqual(isAcceptable(password), expected, password.slice(0, 12))
  })
})
