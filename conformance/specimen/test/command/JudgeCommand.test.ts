import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { run } from "@wcs/conformance/Cli"
import { hitOf } from "@wcs/specimen/faults/Hits"
import type { Serve } from "@wcs/specimen/target/Serve"
import { Effect } from "effect"
import * as Rewrite from "../Rewrite.ts"
import { faultOf } from "../Specimen.ts"
import { command, served, writeProfile } from "./Served.ts"

/** Runs a command that sends nothing, in this process. Returns its exit code and last line. */
const offline = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const told: Array<string> = []
  const { write } = process.stdout
  const code = yield* Effect.suspend(() => {
    process.stdout.write = (chunk: string | Uint8Array) => told.push(String(chunk)) > 0
    return run(args)
  }).pipe(
    Effect.provide(NodeServices.layer),
    Effect.ensuring(
      Effect.sync(() => {
        process.stdout.write = write
      })
    )
  )
  return { code, last: told.join("").trimEnd().split("\n").at(-1) ?? "" }
})

describe("wcs-conformance judge", () => {
  it.live(
    "OWN-04: repeats the run's report from its folder without requests; with a baseline only new failures count",
    () =>
      Effect.gen(function* () {
        let calls = 0
        const answered = () => {
          calls += 1
        }
        const { environment, folder, profile } = yield* served({ hit: hitOf(faultOf("OWN-04")) }, { answered })
        const [out, again] = [join(folder, "out"), join(folder, "again")]
        const args = ["run", "-p", writeProfile(folder, profile), "--only", "OWN,OAU,LEG,EVT", "--quiet"]
        const ran = yield* command([...args, "--out", out], environment)
        assert.deepStrictEqual([ran.code, ran.err], [1, ""])
        const [sent, headline] = [calls, ran.out.trimEnd()]

        assert.deepStrictEqual(yield* offline("judge", out, "--out", again), { code: 1, last: headline })
        for (const name of ["report.json", "junit.xml", "report.md", "exchanges.ndjson", "repro/OWN-04.sh"]) {
          const [one, other] = [out, again].map((from) => readFileSync(join(from, name), "utf8"))
          assert.isTrue(one === other, name)
        }
        assert.deepStrictEqual(yield* offline("judge", again, "--quiet"), { code: 1, last: headline })
        assert.strictEqual((yield* offline("diff", out, again)).code, 0)

        const altered = join(folder, "altered")
        cpSync(out, altered, { recursive: true })
        const exchanges = readFileSync(join(altered, "exchanges.ndjson"), "utf8")
        const refusals = exchanges.replaceAll('"answer":{"status":409,', '"answer":{"status":200,')
        writeFileSync(join(altered, "exchanges.ndjson"), refusals)
        const other = yield* offline("judge", altered, "--quiet")
        assert.strictEqual(other.code, 1)
        assert.notStrictEqual(other.last, headline)

        const baseline = join(folder, "baseline.json")
        assert.strictEqual((yield* offline("baseline", out, "-o", baseline)).code, 0)
        const bare = yield* offline("judge", out, "--baseline", baseline, "--quiet")
        assert.strictEqual(bare.code, 1)
        assert.match(bare.last, /; \d+ entr(?:y|ies) of the baseline to fix; /)
        writeFileSync(baseline, readFileSync(baseline, "utf8").replaceAll('"reason": ""', '"reason": "Known."'))
        const known = yield* offline("judge", out, "--baseline", baseline, "--quiet")
        assert.strictEqual(known.code, 0)
        assert.match(known.last, / 0 failed, \d+ broken and baselined; /)
        assert.strictEqual(calls, sent)
        const next = yield* command([...args, "--baseline", baseline, "--out", join(folder, "next")], environment)
        assert.deepStrictEqual([next.code, next.out.trimEnd()], [0, known.last])
      }),
    480_000
  )
})

describe("wcs-conformance run --repeat", () => {
  it.live(
    "ENV-09: is inconclusive about results that differ, also when its folder is judged again",
    () =>
      Effect.gen(function* () {
        const runs = new Set<string>()
        const odd = (serve: Serve): Serve => {
          const counting = Rewrite.requests({ body: /conf-\w+-\d/ }, (request) => {
            // One name of each run has another end, to be similar to a name of the run.
            runs.add(/conf-(\w{4})\w*-\d/.exec(request.body)?.[1] ?? "")
            return request
          })
          const breaking = Rewrite.answers({ path: /^\/credentials\/[^/]+$/, status: 404 }, (answer) =>
            runs.size === 2 ? { ...answer, status: 400 } : answer
          )
          return Rewrite.all(breaking, counting)(serve)
        }
        const { environment, folder, profile } = yield* served({ rewrite: odd })
        const [out, again] = [join(folder, "out"), join(folder, "again")]
        const args = ["run", "-p", writeProfile(folder, profile), "--only", "ENV-09,CRD", "--quiet", "--out", out]
        const ran = yield* command([...args, "--repeat", "3"], environment)
        assert.deepStrictEqual([ran.code, ran.err], [4, ""])
        const headline = ran.out.trimEnd()
        assert.match(headline, /^in 3 runs judged \d+ of \d+ musts: \d+ passed, 0 failed; 1 inconclusive; /)
        const report = readFileSync(join(out, "report.md"), "utf8")
        assert.match(report, /ENV-09.*different verdicts: passed in run 1, 3; warning .* in run 2/)
        assert.isTrue(existsSync(join(out, "run-2", "repro", "ENV-09.sh")))
        assert.isFalse(existsSync(join(out, "evidence.ndjson")))

        assert.deepStrictEqual(yield* offline("judge", out, "--out", again), { code: 4, last: headline })
        assert.isTrue(
          readFileSync(join(again, "report.json"), "utf8") === readFileSync(join(out, "report.json"), "utf8")
        )
        assert.strictEqual((yield* offline("judge", join(out, "run-2"), "--fail-on", "should")).code, 1)

        assert.strictEqual((yield* offline("judge", join(out, "run-1"), "--out", again)).code, 0)
        assert.isFalse(existsSync(join(again, "run-2")), "judging again replaces the files in the folder")
      }),
    480_000
  )
})
