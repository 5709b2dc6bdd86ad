import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dataOf, withAdmin } from "../Calls.ts"
import { inProcess } from "../InProcess.ts"

/** The number of a row that a file of left-out rows has, and why. */
const leftOut = (file: string) =>
  readFileSync(file, "utf8")
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(",").slice(-2))

describe("wcs import", () => {
  it.live("checks a file, carries it out, writes what is left out, goes on by id, and undoes", () =>
    Effect.gen(function* () {
      const { environment, home, server, token } = yield* withAdmin()
      const tokenFile = environment.WCS_ADMIN_TOKEN_FILE
      const url = `https://localhost:${server.port}`
      const place = ["--url", url, "--ca-file", server.certificateFile, "--token-file", tokenFile]
      const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const { code, stderr, stdout } = yield* inProcess(["import", ...args, ...place, "--json"], environment)
        const error = stderr === "" ? null : JSON.parse(stderr).error
        return { code, error, result: stdout === "" ? null : JSON.parse(stdout) }
      })
      const file = join(home, "staff.csv")
      const faults = join(home, "faults.csv")
      writeFileSync(file, "No,Name,Born\nE1,Ann,1.2.1990\nE2,=Bob,31/12/1990\nE3,Cy,32/12/1990\nE4,ann,1990-02-01\n")
      const unsure = join(home, "unsure.csv")
      writeFileSync(unsure, "Name,Born\nAnn,1.2.1990\n")

      // One of these three, a file that exists and is a CSV file, and names that the file and the service know.
      const refused: ReadonlyArray<readonly [args: ReadonlyArray<string>, sentence: RegExp]> = [
        [[], /^one of a file, --resume and --undo/],
        [[file, "--undo", "imp_0000000000000001"], /^one of a file, --resume and --undo/],
        [[join(home, "none.csv")], /none\.csv cannot be read/],
        [[join(home, "data/wcs.sqlite")], /wcs\.sqlite is not a text file/],
        [[file, "--faults", file], /^--faults must be another file/],
        [[file, "--map", "No"], /^--map must be COLUMN=FIELD/],
        [[file, "--map", "Number=source.externalId"], /no column "Number", but "No", "Name", "Born"/],
        [[unsure], /begin with the day or with the month; go on with: wcs import --resume imp_\w+ --date-order DMY/]
      ]
      for (const [args, sentence] of refused) {
        const { code, error, result } = yield* run(...args)
        assert.deepStrictEqual([code, error.code, result], [2, "USAGE", null])
        assert.match(error.message, sentence)
      }
      const unknown = yield* run("--resume", "imp_0000000000000001")
      assert.deepStrictEqual([unknown.code, unknown.error.code], [1, "NOT_FOUND"])

      const dry = yield* run(file, "--dry-run", "--map", "No=source.externalId", "--faults", faults)
      assert.deepInclude(dry.result, { status: "CHECKED", rows: 4, CREATE: 2, FAULTY: 1, DUPLICATE: 1 })
      assert.deepStrictEqual([dry.code, dry.error.code], [1, "ROWS_LEFT_OUT"])
      assert.deepStrictEqual(leftOut(faults), [
        ["4", "Born must be a date like 31/12/1990"],
        ["5", "Has the name and birth date of row 2"]
      ])
      assert.deepStrictEqual(yield* dataOf(server, token, "/workers"), [])

      const { id } = dry.result
      assert.strictEqual((yield* run("--resume", id, "--dry-run")).result.status, "CHECKED")
      const done = yield* run("--resume", id, "--with-duplicates")
      assert.deepInclude(done.result, { id, status: "DONE", CREATED: 3, FAULTY: 1 })
      assert.strictEqual(done.code, 1)
      assert.lengthOf(yield* dataOf(server, token, "/workers"), 3)

      const undone = yield* run("--undo", id)
      assert.deepInclude(undone, { code: 0, error: null })
      assert.deepInclude(undone.result, { status: "UNDONE", UNDONE: 3 })
      assert.deepStrictEqual(yield* dataOf(server, token, "/workers"), [])

      // The file that was written can be corrected and imported, and begins no formula.
      writeFileSync(file, "No,Name,Born\nE2,=Bob,x\n")
      yield* run(file, "--dry-run", "--map", "No=source.externalId", "--faults", faults)
      const written = readFileSync(faults, "utf8")
      assert.include(written, "E2,'=Bob,x,2,")
      writeFileSync(faults, written.replace(",x,", ",31/12/1990,"))
      const corrected = yield* run(faults, "--map", "No=source.externalId")
      assert.deepInclude(corrected, { code: 0, error: null })
      const [bob] = yield* dataOf(server, token, "/workers?externalId=E2")
      assert.deepInclude(bob.identity, { displayName: "=Bob", birthDate: "1990-12-31" })
    })
  )
})
