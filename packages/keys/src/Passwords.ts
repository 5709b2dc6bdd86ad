import { type Argon2Parameters, timingSafeEqual } from "node:crypto"
import * as FairQueue from "@wcs/domain/user/FairQueue"
import { normalize, Passwords, PasswordsBusy } from "@wcs/domain/user/Passwords"
import { Context, Deferred, Effect, Exit, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import * as CommonPasswords from "./CommonPasswords.ts"
import * as HashingThreads from "./HashingThreads.ts"

/** Parameters of argon2id: the first recommendation of OWASP (RFC 9106; DECISIONS.md#access). */
interface Cost {
  readonly memoryKib: number
  readonly passes: number
  readonly parallelism: number
}

const cost: Cost = { memoryKib: 19 * 1024, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32
const version = 19 // 0x13, the version in RFC 9106

/** The maximum number of requests that wait for a hash: about a second at 20 ms each. */
const waitingMax = 64

/** A stored hash, in the PHC string format. */
interface Hash extends Cost {
  readonly salt: Uint8Array
  readonly tag: Uint8Array
}

const unpadded = (bytes: Uint8Array): string => Base64.encode(bytes).replace(/=+$/, "")

const toPhc = ({ memoryKib, parallelism, passes, salt, tag }: Hash): string =>
  `$argon2id$v=${version}$m=${memoryKib},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`

const phc = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d)\$([\w+/]{11,64})\$([\w+/]{16,86})$/

const fromPhc = (text: string): Hash => {
  const [, memoryKib, passes, parallelism, salt = "", tag = ""] = phc.exec(text) ?? []
  // Only this module writes hashes. The text is not repeated: it could be cracked offline.
  if (memoryKib === undefined) throw new Error("a stored password hash is malformed")
  return {
    memoryKib: Number(memoryKib),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, "base64"),
    tag: Buffer.from(tag, "base64")
  }
}

/** The hash function; null: argon2id on threads of lower priority. Tests replace it. */
export const Argon2id = Context.Reference<HashingThreads.Argon2id | null>("@wcs/keys/Argon2id", {
  defaultValue: () => null
})

const parametersOf = (
  password: string,
  { memoryKib, parallelism, passes, salt }: Omit<Hash, "tag">,
  tagLength: number
): Argon2Parameters => ({
  message: normalize(password),
  nonce: salt,
  memory: memoryKib,
  passes,
  parallelism,
  tagLength
})

/** A request that waits for a hash. */
interface Waiting extends FairQueue.Party {
  readonly turn: Deferred.Deferred<void, PasswordsBusy>
  hasTurn: boolean
}

const busy = Exit.fail(new PasswordsBusy({ retryAfterSeconds: 1 }))

/** Runs at most `places` hashes at a time. Others wait in a fair queue, or fail if they lose their place in it. */
const makeTurns = (places: number) => {
  const queue = FairQueue.make<Waiting>(waitingMax)
  let running = 0

  const handOn = Effect.sync(() => {
    const next = queue.next()
    if (next === undefined) {
      running--
      return
    }
    next.hasTurn = true
    Deferred.doneUnsafe(next.turn, Exit.void)
  })

  const wait = (party: FairQueue.Party): Effect.Effect<void, PasswordsBusy> =>
    Effect.suspend(() => {
      const waiting: Waiting = { ...party, turn: Deferred.makeUnsafe(), hasTurn: false }
      const lost = queue.enter(waiting)
      if (lost !== undefined) Deferred.doneUnsafe(lost.turn, busy)
      return Effect.onInterrupt(Deferred.await(waiting.turn), () =>
        Effect.suspend(() => (!queue.leave(waiting) && waiting.hasTurn ? handOn : Effect.void))
      )
    })

  /** An interruption does not stop the thread, so its place stays taken until the thread ends. */
  return <A>(party: FairQueue.Party, work: Effect.Effect<A>): Effect.Effect<A, PasswordsBusy> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const run = Effect.ensuring(work, handOn)
        if (running >= places) return Effect.andThen(restore(wait(party)), run)
        running++
        return run
      })
    )
}

export const make = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const argon2id = (yield* Argon2id) ?? (yield* HashingThreads.make)
  const inTurn = makeTurns(HashingThreads.hashingThreads)
  const common = yield* CommonPasswords.make

  // A random salt and tag match no password. The comparison costs as much as a real one.
  const decoy: Hash = { ...cost, salt: yield* random.randomBytes(saltBytes), tag: yield* random.randomBytes(tagBytes) }

  return Passwords.of({
    isCommon: (password) =>
      Effect.map(common, (passwords) => passwords.has(normalize(Redacted.value(password)).toLowerCase())),

    hash: Effect.fn("Passwords.hash")(function* (password, party) {
      const salt = yield* random.randomBytes(saltBytes)
      const tag = yield* inTurn(party, argon2id(parametersOf(Redacted.value(password), { ...cost, salt }, tagBytes)))
      return toPhc({ ...cost, salt, tag })
    }),

    verify: Effect.fn("Passwords.verify")(function* (password, text, party) {
      const hash = text === null ? decoy : fromPhc(text)
      const tag = yield* inTurn(party, argon2id(parametersOf(Redacted.value(password), hash, hash.tag.length)))
      return timingSafeEqual(tag, hash.tag) && hash !== decoy
    })
  })
})

export const layer = Layer.effect(Passwords, make)
