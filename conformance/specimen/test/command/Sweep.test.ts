import type { ChildProcess } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { leftOf } from "@wcs/conformance/engine/Sweep"
import { entriesOf } from "@wcs/conformance/evidence/Journal"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Report } from "@wcs/conformance/report/Report"
import { Effect } from "effect"
import { command, served, type Watch, writeProfile } from "./Served.ts"

/** A run that gets a signal, or several, at its nth create. */
const signalled = Effect.fnUntraced(function* (
  signals: NodeJS.Signals | ReadonlyArray<NodeJS.Signals>,
  nth: number,
  tell: (profile: Profile) => Profile = (profile) => profile
) {
  let running: ChildProcess | undefined
  const watch: Watch = {
    creating: (now) => {
      if (now === nth) for (const signal of [signals].flat()) running?.kill(signal)
    }
  }
  const deployment = yield* served({}, watch)
  const { environment, folder } = deployment
  const profile = writeProfile(folder, tell(deployment.profile))
  const out = join(folder, "out")
  const ran = yield* command(["run", "-p", profile, "--out", out, "--quiet"], environment, (child) => {
    running = child
  })
  const journal = join(out, "journal.ndjson")
  return {
    ...deployment,
    ran,
    out,
    left: deployment.left,
    journaled: Effect.suspend(() => entriesOf(readFileSync(journal, "utf8"))),
    sweep: command(["sweep", journal, "-p", profile], environment)
  }
})

/** A profile without a delete for credentials. */
const keepingCredentials = ({ groups, ...profile }: Profile): Profile => {
  const { delete: _, ...credential } = groups?.["credential"] ?? {}
  return { ...profile, groups: { ...groups, credential } }
}

describe("a run that is killed", () => {
  for (const nth of [3, 60]) {
    it.live(`leaves nothing that a sweep does not find, after a kill at create ${nth}`, () =>
      Effect.gen(function* () {
        const { journaled, left, out, ran, sweep } = yield* signalled("SIGKILL", nth)
        assert.isNull(ran.code)
        assert.isFalse(existsSync(join(out, "report.json")))
        assert.isNotEmpty(yield* left)
        const { lost, made } = leftOf(yield* journaled)
        assert.isNotEmpty(lost) // the create in flight
        const swept = yield* sweep
        assert.deepStrictEqual(yield* left, [])
        assert.strictEqual(swept.code, 0)
        const [, deleted = ""] = /^deleted (\d+), left 0\n$/.exec(swept.out) ?? []
        assert.isAtLeast(Number(deleted), made.length)
        const again = yield* sweep
        assert.deepStrictEqual([again.code, again.out], [0, "deleted 0, left 0\n"])
      })
    )
  }
  it.live("is swept of everything deletable, and the rest is reported", () =>
    Effect.gen(function* () {
      const { left, sweep } = yield* signalled("SIGKILL", 40, keepingCredentials)
      const swept = yield* sweep
      const kept = yield* left
      assert.strictEqual(swept.code, 1)
      const ids = kept.map((url) => /\/credentials\/(cred_\w{24})$/.exec(url)?.[1])
      const [first = "", ...lines] = swept.out.trimEnd().split("\n")
      assert.match(first, new RegExp(`^deleted [1-9]\\d*, left ${lines.length}$`))
      assert.sameMembers(
        lines,
        ids.map((id) => `  credential ${id}: no delete path in the profile`)
      )
    })
  )
})

describe("an interrupted run", () => {
  it.live("ends immediately on a second signal, and says how to delete the rest", () =>
    Effect.gen(function* () {
      const { left, out, ran, sweep } = yield* signalled(["SIGINT", "SIGTERM"], 30)
      assert.strictEqual(ran.code, 130)
      const [, sweeping = ""] = /stopped immediately\. To delete the remaining resources: (.*)\n$/.exec(ran.err) ?? []
      assert.include(sweeping, `wcs-conformance sweep ${join(out, "journal.ndjson")} -p `)
      assert.strictEqual((yield* sweep).code, 0)
      assert.deepStrictEqual(yield* left, [])
    })
  )

  it.live("cleans up, leaves a partial report and exits as interrupted", () =>
    Effect.gen(function* () {
      const { count, journaled, left, out, ran } = yield* signalled("SIGINT", 30)
      assert.strictEqual(ran.code, 130)
      assert.match(ran.out, /^interrupted: judged \d+ of \d+ musts: .*\n$/)
      assert.strictEqual(
        ran.err,
        "wcs-conformance: stopping and deleting the created resources; repeat the signal to stop immediately\n"
      )
      const report: Report = JSON.parse(readFileSync(join(out, "report.json"), "utf8"))
      assert.deepStrictEqual(report.header.ending, { as: "interrupted" })
      assert.isAbove(report.counts.MUST.blocked, 0)
      assert.deepStrictEqual(report.residue, [])
      assert.isAbove(count(), 0)
      assert.deepStrictEqual(yield* left, [])
      assert.deepStrictEqual(leftOf(yield* journaled).made, [])
    })
  )
})
