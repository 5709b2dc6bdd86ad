import { spawn } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { mutants } from "@wcs/specimens/Mutants"
import type { Serve } from "@wcs/specimens/Specimen"
import { Effect } from "effect"
import { command, served, writeProfile } from "./Served.ts"

const name = "an-applicant-who-was-unlinked-is-never-linked-again"
const rewrite = mutants.find((mutant) => mutant.name === name)?.rewrite ?? assert.fail(name)

/** What a script says, and its exit code. */
const ran = (file: string, environment: Readonly<Record<string, string>>) =>
  Effect.callback<number | null>((resume) => {
    const child = spawn("sh", [file], { env: { PATH: process.env["PATH"], ...environment }, stdio: "ignore" })
    child.once("close", (code) => resume(Effect.succeed(code)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("the shortest sequence that breaks the table", () => {
  it.live(
    "OWN-21: is told step by step, and a script shows it again, and once it is gone that it is",
    () =>
      Effect.gen(function* () {
        let isBroken = true
        const brokenWhile = (serve: Serve): Serve => {
          const defective = rewrite(serve)
          return (request) => (isBroken ? defective(request) : serve(request))
        }
        const { environment, folder, left, profile } = yield* served({ name: "x", rewrite: brokenWhile })
        const out = join(folder, "out")
        const args = ["run", "-p", writeProfile(folder, profile), "--out", out, "--only", "OWN-21", "--no-color"]
        const { code, out: told } = yield* command(args, environment)
        assert.strictEqual(code, 1)
        const [, story = ""] =
          /calls: expected what the table of section 3 says[^\n]*\n([\s\S]*?) is app_/.exec(told) ?? []
        assert.match(story, /c\d: unlink a\d: 200 \(#\d+\)[\s\S]*c\d: link a\d: 409 ALREADY_LINKED/)
        assert.isAtMost(story.match(/: (?:200|4\d\d)/g)?.length ?? 0, 4, "calls of the shortest sequence")

        const script = join(out, "repro", "OWN-21.sh")
        assert.strictEqual(yield* ran(script, environment), 1)
        isBroken = false
        assert.strictEqual(yield* ran(script, environment), 0)
        assert.deepStrictEqual(yield* left, [])
      }),
    120_000
  )
})
