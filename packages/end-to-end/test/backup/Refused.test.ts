import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { gunzipSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { fileKeysOf } from "@wcs/keys/FileCodes"
import * as MasterKey from "@wcs/keys/MasterKey"
import { migrations } from "@wcs/store-sql/engine/Migrations"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { form, openBackup, readBackup, verifying } from "@wcs/wcs/backup/BackupFile"
import { Digests } from "@wcs/wcs/backup/Digest"
import { Effect, Exit, Redacted } from "effect"
import { cli, withStore } from "../InProcess.ts"
import { temporaryDirectory } from "../Process.ts"

/** A directory with a store in `data`, its backup, and an empty data directory with the key in `other/data`. */
const scene = Effect.gen(function* () {
  const home = yield* withStore
  const file = join(home, "store.gz")
  const other = join(home, "other")
  for (const email of ["ann@example.com", "bo@example.com"]) {
    yield* cli(home, ["admin", "create-user", "--email", email, "--role", "Viewer"])
  }
  const made = yield* cli(home, ["backup", file])
  assert.strictEqual(made.code, 0, made.stderr)
  mkdirSync(join(other, "data"), { recursive: true, mode: 0o700 })
  copyFileSync(join(home, "data/master.key"), join(other, "data/master.key"))
  return { home, file, other }
})

/** Restores and expects a refusal. The data directory must stay as it was. */
const refusal = Effect.fnUntraced(function* (other: string, file: string, ...flags: ReadonlyArray<string>) {
  const before = readdirSync(join(other, "data"))
  const ended = yield* cli(other, ["restore", file, ...flags])
  assert.strictEqual(ended.code, 2, ended.stdout)
  assert.deepStrictEqual(readdirSync(join(other, "data")), before)
  return ended.stderr
})

const linesOf = (file: string) => gunzipSync(readFileSync(file)).toString("utf8").trimEnd().split("\n")

/** A copy of a backup with other lines. */
const edited = (file: string, edit: (lines: Array<string>) => ReadonlyArray<string>) => {
  writeFileSync(`${file}.edited`, gzipSync(`${edit(linesOf(file)).join("\n")}\n`))
  return `${file}.edited`
}

/** Makes Ann a Super Admin, and the digests of the rows match. */
const promoting = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const digests = new Digests()
  let table = ""
  return lines.map((line) => {
    const promoted = line.replace(/(ann@example\.com.*?)Viewer/, "$1Super Admin")
    const read = JSON.parse(promoted)
    if (Array.isArray(read)) {
      digests.add(
        table,
        read.map((row) => JSON.stringify(row))
      )
    } else if ("table" in read) {
      table = read.table
      digests.add(table, [])
    } else if ("end" in read) return JSON.stringify({ end: { ...read.end, tables: digests.tables } })
    return promoted
  })
}

/** The form of the first release: without a key and a code. */
const asFirstRelease = ([head = "", ...lines]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { form: _, key: _k, ...fields } = JSON.parse(head)
  return [JSON.stringify({ form: "wcs backup 1", ...fields }), ...lines.slice(0, -1)]
}

describe("wcs backup", () => {
  it.effect("never replaces a file, and leaves no draft", () =>
    Effect.gen(function* () {
      const { file, home } = yield* scene
      const before = readFileSync(file)
      const again = yield* cli(home, ["backup", file])
      assert.deepStrictEqual([again.code, again.stderr], [2, `wcs: ${file} exists already: choose another file`])
      assert.deepStrictEqual(readFileSync(file), before)
      const nowhere = yield* cli(home, ["backup", join(home, "missing/store.gz")])
      assert.strictEqual(nowhere.code, 2)
      assert.include(nowhere.stderr, "no such file or directory")
      assert.deepStrictEqual(readdirSync(home).sort(), ["data", "other", "store.gz"])
    })
  )

  it.effect("needs a store, and creates none", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const ended = yield* cli(home, ["backup", join(home, "store.gz")])
      assert.strictEqual(ended.code, 2)
      assert.include(ended.stderr, `There is no store at ${join(home, "data/wcs.sqlite")}`)
      assert.deepStrictEqual(readdirSync(home), [])
    })
  )

  it.effect("threat 9: contains neither the master key nor an unsealed signing key", () =>
    Effect.gen(function* () {
      const { file, home } = yield* scene
      const text = gunzipSync(readFileSync(file)).toString("utf8")
      assert.notInclude(text, readFileSync(join(home, "data/master.key"), "utf8").trim())
      assert.include(text, '"table":"signing_key"')
      assert.notInclude(text, '"d":')
    })
  )
})

describe("wcs restore", () => {
  it.effect("threat 34: needs the master key of the backed-up store", () =>
    Effect.gen(function* () {
      const { file, home, other } = yield* scene
      const key = join(other, "data/master.key")
      const third = join(home, "third")
      const missing = yield* cli(third, ["restore", file])
      assert.strictEqual(missing.code, 2)
      assert.include(missing.stderr, `copy the key of the backed-up store to ${join(third, "data/master.key")}`)
      assert.isFalse(existsSync(third))
      writeFileSync(key, "0".repeat(64))
      assert.include(yield* refusal(other, file), "the master key is not the key of the backed-up store")
      const old = edited(file, asFirstRelease)
      assert.include(yield* refusal(other, old, "--unauthenticated"), "The master key is not the key of the store")
    })
  )

  it.effect("replaces no store: not a file, and not the tables of a database", () =>
    Effect.gen(function* () {
      const { file, home, other } = yield* scene
      assert.include(yield* refusal(home, file), "There is a store at")
      const database = { DATABASE_URL: Redacted.value(yield* freshDatabase) }
      const first = yield* cli(other, ["restore", file], database)
      assert.strictEqual(first.code, 0, first.stderr)
      const second = yield* cli(other, ["restore", file], database)
      assert.strictEqual(second.code, 2)
      assert.include(second.stderr, "already has tables")
    })
  )

  it.effect("refuses a file that was cut, altered or made by a newer program", () =>
    Effect.gen(function* () {
      const { file, other } = yield* scene
      const whole = readFileSync(file)
      writeFileSync(`${file}.cut`, whole.subarray(0, -100))
      assert.include(yield* refusal(other, `${file}.cut`), "is damaged or not complete")
      const bent = Buffer.from(whole)
      const middle = Math.floor(whole.length / 2)
      bent.writeUInt8(whole.readUInt8(middle) ^ 1, middle)
      writeFileSync(`${file}.bent`, bent)
      assert.match(yield* refusal(other, `${file}.bent`), /is damaged or not complete|is not a backup/)
      const endless = edited(file, (lines) => lines.slice(0, -1))
      assert.include(yield* refusal(other, endless), "is not complete")
      const bad = edited(file, (lines) => asFirstRelease(lines).map((line) => line.replace("ann@", "eve@")))
      assert.include(yield* refusal(other, bad, "--unauthenticated"), "the rows of account have another digest")
      const newer = edited(file, ([, ...lines]) => [
        JSON.stringify({
          form: "wcs backup 1",
          takenAt: "2026-01-01T00:00:00Z",
          engine: "sqlite",
          migrations: [...migrations, { name: "later" }].map(({ name }, index) => ({ id: index + 1, name }))
        }),
        ...lines.slice(0, -1)
      ])
      assert.include(yield* refusal(other, newer, "--unauthenticated"), "was written by a newer program")
      writeFileSync(`${file}.text`, "no backup")
      assert.include(yield* refusal(other, `${file}.text`), "is damaged or not complete")
    })
  )

  it.effect("threat 56: refuses a backup whose rows and digests were altered without the master key", () =>
    Effect.gen(function* () {
      const { file, other } = yield* scene
      const altered = edited(file, promoting)
      assert.notDeepEqual(linesOf(altered), linesOf(file))
      assert.include(yield* refusal(other, altered), `${altered} was altered: use another backup; nothing was changed`)
      // control: the same file restores a Super Admin if nothing authenticates it
      const old = edited(file, (lines) => asFirstRelease(promoting(lines)))
      assert.include(yield* refusal(other, old), `${old} has no authentication code`)
      const restored = yield* cli(other, ["restore", old, "--unauthenticated"])
      assert.strictEqual(restored.code, 0, restored.stderr)
      const users = yield* cli(other, ["admin", "list-users", "--json"])
      assert.match(users.stdout, /"ann@example\.com"[^}]*"Super Admin"/)
    })
  )

  it.effect("threat 56: refuses a backup with any line left out, repeated, moved or changed", () =>
    Effect.gen(function* () {
      const { file, home } = yield* scene
      const key = yield* Effect.fromResult(MasterKey.fromText(readFileSync(join(home, "data/master.key"), "utf8")))
      const trust = { keys: fileKeysOf(key, form), acceptsUnauthenticated: true }
      const read = (path: string) =>
        Effect.exit(
          Effect.scoped(Effect.flatMap(openBackup(path), (opened) => readBackup(opened, trust, () => verifying)))
        )
      assert.isTrue(Exit.isSuccess(yield* read(file)))
      const lines = linesOf(file)
      for (const [index, line] of lines.entries()) {
        const [before, after] = [lines.slice(0, index), lines.slice(index + 1)]
        const changed = line.replace(/[0-9a-z](?=[^0-9a-z]*$)/, (letter) => (letter === "0" ? "1" : "0"))
        assert.notStrictEqual(changed, line)
        const others = {
          "left out": [...before, ...after],
          repeated: [...before, line, line, ...after],
          moved: [...after, ...before, line],
          changed: [...before, changed, ...after],
          cut: before
        }
        for (const [how, some] of Object.entries(others)) {
          if (some.join("\n") === lines.join("\n")) continue
          const exit = yield* read(edited(file, () => some))
          assert.isTrue(Exit.isFailure(exit), `line ${index + 1} ${how}`)
        }
      }
    })
  )

  it.effect("threat 56: reads the file that it has verified, although another one gets its name meanwhile", () =>
    Effect.gen(function* () {
      const { file } = yield* scene
      const trust = { keys: [], acceptsUnauthenticated: true }
      const old = edited(file, asFirstRelease)
      const altered = edited(old, promoting)
      const opened = yield* openBackup(old)
      const verified = yield* readBackup(opened, trust, () => verifying)
      renameSync(altered, old)
      assert.deepStrictEqual(yield* readBackup(opened, trust, () => verifying), verified)
      // control: the other file is complete, and differs
      assert.notDeepEqual(yield* readBackup(yield* openBackup(old), trust, () => verifying), verified)
    })
  )

  it.effect("restores a backup of the old master key while the key file has it as its second line", () =>
    Effect.gen(function* () {
      const { file, other } = yield* scene
      const key = join(other, "data/master.key")
      const old = readFileSync(key, "utf8").trim()
      writeFileSync(key, `${"ab".repeat(32)}\n${old}\n`, { mode: 0o600 })
      const restored = yield* cli(other, ["restore", file])
      assert.strictEqual(restored.code, 0, restored.stderr)
    })
  )

  it.effect("continues the positions after the last one that was assigned, even if its row is gone", () =>
    Effect.gen(function* () {
      const { file, home, other } = yield* scene
      const lastOf = (directory: string) => {
        using database = new DatabaseSync(join(directory, "data/wcs.sqlite"))
        return database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'account'").get()?.["seq"]
      }
      {
        using database = new DatabaseSync(join(home, "data/wcs.sqlite"))
        database.exec("DELETE FROM account WHERE email = 'bo@example.com'")
      }
      yield* cli(home, ["backup", `${file}.later`])
      const restored = yield* cli(other, ["restore", `${file}.later`])
      assert.strictEqual(restored.code, 0, restored.stderr)
      assert.strictEqual(lastOf(other), lastOf(home))
    })
  )
})
