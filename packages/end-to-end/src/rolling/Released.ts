/** The released program: a work tree of its commit in a temporary folder, with its own dependencies. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A commit, and why it is the released one. */
export interface Release {
  readonly commit: string
  readonly reason: string
}

/** The version and the day of the newest release in a change log. */
export const newestRelease = (changeLog: string) => {
  const [, version = "", day = ""] = /^## (\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$/m.exec(changeLog) ?? []
  return version === "" ? undefined : { version, day }
}

const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { encoding: "utf8" }).trim()

/** The commit of the newest tag of a version. Without one, the last commit of the day of the newest release. */
export const findRelease = (): Release => {
  const [tag] = git("tag", "--list", "v*", "--sort=-version:refname").split("\n")
  if (tag !== undefined && tag !== "") return { commit: git("rev-list", "-1", tag), reason: `the tag ${tag}` }
  const newest = newestRelease(readFileSync("CHANGELOG.md", "utf8"))
  if (newest === undefined) throw new Error("CHANGELOG.md has no release, and there is no tag of a version")
  const { day, version } = newest
  const commit = git("rev-list", "-1", "--first-parent", `--before=${day}T23:59:59Z`, "HEAD")
  return { commit, reason: `there is no tag; it is the last commit of ${day}, the day of release ${version}` }
}

/** Checks the release out, and installs and bundles it. */
export const checkOut = ({ commit }: Release) => {
  const home = mkdtempSync(join(tmpdir(), "wcs-released-"))
  const root = join(home, "workspace")
  const remove = () => {
    execFileSync("git", ["worktree", "remove", "--force", root], { stdio: "ignore" })
    rmSync(home, { recursive: true, force: true })
  }
  execFileSync("git", ["worktree", "add", "--detach", root, commit], { stdio: "ignore" })
  process.once("exit", remove)
  const start = ["node", "apps/wcs/start.mjs", "--version"]
  const version = execFileSync(process.execPath, [".dev/run.mjs", ...start], { cwd: root, encoding: "utf8" })
  return { root, version: version.trim().split("\n").at(-1) ?? "" }
}
