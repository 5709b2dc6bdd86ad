import { createHash } from "node:crypto"
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { type Ended, serving, temporaryDirectory, wcs } from "../Process.ts"
import { injected } from "./Injected.ts"
import * as Mount from "./Mount.ts"
import { type Circumstances, placeIn } from "./Scene.ts"
import { storeFile } from "./Stored.ts"

/** Whether a file has content. The index of a log is derived from the log and is ignored. */
const holdsSomething = (path: string): boolean => {
  const found = lstatSync(path)
  return found.isFile() && found.size > 0 && !path.endsWith("-shm")
}

/** The content of every file of a directory. */
const bytesOf = (directory: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(directory)
      .filter((name) => holdsSomething(join(directory, name)))
      .map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(directory, name)))
          .digest("hex")
      ])
  )

const refusedStart = (directory: string, { environment, wrapper }: Circumstances = {}) =>
  wcs(["serve"], { WCS_DATA: directory, WCS_PORT: "0", WCS_ADMIN_PORT: "0", ...environment }, wrapper)

/** Asserts exit code 2, one sentence on standard error and nothing on standard output. */
const assertRefused = ({ code, stderr, stdout }: Ended, sentence: RegExp) => {
  assert.deepStrictEqual([code, stdout], [2, ""], stderr)
  assert.match(stderr, /^wcs: [^\n]+[:;,] [^\n]+\.\n$/)
  assert.match(stderr, sentence)
}

/** A store without a server. */
const stopped = Effect.flatMap(temporaryDirectory, placeIn).pipe(
  Effect.map(({ directory, environment }) => ({ directory, environment, file: storeFile(directory) }))
)

/** Spoils a store without a server. */
interface Spoilt {
  readonly name: string
  readonly spoil: (file: string) => void
  readonly sentence: RegExp
  /** Whether `wcs admin` says the same. */
  readonly isForAdmin?: true
}

const noStore = /^wcs: The data directory \S+ has a master key but no store: restore wcs\.sqlite from [^\n]+\.$/m

// `Migrations.test.ts` has a store of a newer program, and `AccessTokens.test.ts` one of another master key.
const spoilt: ReadonlyArray<Spoilt> = [
  {
    name: "a truncated store",
    spoil: (file) => truncateSync(file, 65_536),
    sentence: /wcs\.sqlite is damaged: .*restore a backup in its place\.$/m
  },
  {
    name: "a master key without a store",
    spoil: (file) => {
      for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true })
    },
    sentence: noStore,
    isForAdmin: true
  }
]

/** Read-only conditions that this user can create. */
const readOnlyWays: ReadonlyArray<{
  readonly name: string
  readonly arrange: (directory: string) => Effect.Effect<Circumstances, never, Scope.Scope>
  readonly sentence: RegExp
}> = [
  {
    name: "a disk without space",
    arrange: () => Effect.succeed({ wrapper: ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh"] }),
    sentence: /wcs\.sqlite cannot be used: check the disk\.$/m
  },
  ...(Mount.canMount
    ? [
        {
          name: "a read-only file system",
          arrange: (directory: string) => Effect.as(Mount.readOnly(directory), {}),
          sentence: /wcs\.sqlite cannot be opened for writing: .*give this user write permission there\.$/m
        }
      ]
    : []),
  ...(process.getuid?.() === 0
    ? []
    : [
        {
          name: "a directory in which this user may not write",
          arrange: (directory: string) =>
            Effect.acquireRelease(
              Effect.sync((): Circumstances => {
                chmodSync(directory, 0o500)
                return {}
              }),
              () => Effect.sync(() => chmodSync(directory, 0o700))
            ),
          sentence: /wcs\.sqlite cannot be opened for writing: .*give this user write permission there\.$/m
        }
      ])
]

describe("a refused start prints one sentence and changes no byte", () => {
  for (const { arrange, name, sentence } of readOnlyWays) {
    it.live(`on ${name}; succeeds once it is writable`, () =>
      Effect.gen(function* () {
        const { directory, environment } = yield* stopped
        const before = bytesOf(directory)
        yield* Effect.scoped(
          Effect.gen(function* () {
            assertRefused(yield* refusedStart(directory, yield* arrange(directory)), sentence)
          })
        )
        assert.deepStrictEqual(bytesOf(directory), before)
        yield* serving(environment)
      })
    )
  }

  for (const { isForAdmin, name, sentence, spoil } of spoilt) {
    it.live(`on ${name}`, () =>
      Effect.gen(function* () {
        const { directory, file } = yield* stopped
        spoil(file)
        const before = bytesOf(directory)
        const refused = yield* refusedStart(directory)
        assertRefused(refused, sentence)
        if (isForAdmin) {
          const admin = yield* wcs(["admin", "list-clients"], { WCS_DATA: directory })
          assert.deepStrictEqual([admin.code, admin.stderr], [2, refused.stderr])
        }
        assert.deepStrictEqual(bytesOf(directory), before)
      })
    )
  }

  it.live("when SQLite is not durable: synchronous is not FULL", () =>
    Effect.gen(function* () {
      const { directory } = yield* stopped
      const before = bytesOf(directory)
      assertRefused(
        yield* refusedStart(directory, { environment: injected("Unsafe") }),
        /wcs\.sqlite cannot be written durably: put the file on a local disk\.$/m
      )
      assert.deepStrictEqual(bytesOf(directory), before)
    })
  )

  it.live("next to a running server, which continues; succeeds after the server is killed", () =>
    Effect.gen(function* () {
      const { directory, environment } = yield* stopped
      const first = yield* serving(environment)
      const before = bytesOf(directory)
      assertRefused(yield* refusedStart(directory), /is in use by another process: stop that process, or set WCS_DATA/)
      assert.deepStrictEqual(bytesOf(directory), before)
      first.signal("SIGKILL")
      yield* first.ended
      assert.isTrue(existsSync(`${storeFile(directory)}.lock`))
      yield* serving(environment)
    })
  )
})
