import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { answers } from "@wcs/end-to-end/containers/Answers"
import { root, workspaceWith } from "@wcs/end-to-end/containers/Images"
import { findContainerEngine } from "@wcs/store-suite/postgres/ContainerEngine"
import { assert, inject, it } from "vitest"

const { base, host, postgres, usual } = inject("containers")
const engine = await findContainerEngine({ DOCKER_HOST: host })
if (engine === undefined) throw new Error(`the container engine at ${host} is gone`)
const { client, name } = engine

const readme = readFileSync(join(root, "apps/wcs/README.md"), "utf8")
const [, words = ""] = /^## In containers$.*?^```sh\n(.*?)^```$/ms.exec(readme) ?? []

/** Uses `docker-compose` if the compose plugin is missing. As root, runs commands without sudo. */
const standIns = `
if ! docker compose version > /dev/null 2>&1; then
  docker() { [ "$1" = compose ] && shift && docker-compose "$@"; }
fi
if [ "$(id -u)" = 0 ]; then sudo() { "$@"; }; fi
`

const environment = {
  ...process.env,
  DOCKER_HOST: host,
  CONTAINERS_CONF: fileURLToPath(new URL("../../src/containers/containers.conf", import.meta.url))
}

const bash = (script: string, cwd: string) =>
  promisify(execFile)("bash", ["-euo", "pipefail", "-c", `${standIns}\n${script}`], {
    cwd,
    env: environment,
    maxBuffer: 64 * 1024 * 1024
  })

/** Tags this machine's images with the names in the example's files, until disposed. */
const named = async () => {
  const pairs = [
    [base, usual.base],
    [postgres, usual.postgres]
  ] as const
  const borrowed = pairs
    .filter(([own, wanted]) => own !== wanted)
    .map(([own, wanted]) => [own, `docker.io/library/${wanted}`] as const)
  for (const [own, wanted] of borrowed) {
    const colon = wanted.lastIndexOf(":")
    await client.getImage(own).tag({ repo: wanted.slice(0, colon), tag: wanted.slice(colon + 1) })
  }
  return {
    [Symbol.asyncDispose]: async () => {
      for (const [, wanted] of borrowed) await client.getImage(wanted).remove()
    }
  }
}

/** Runs all health checks, which Podman leaves to systemd. */
const checkingHealth = () => {
  if (!name.startsWith("Podman") || existsSync("/run/systemd/system")) return { [Symbol.dispose]: () => {} }
  const timer = setInterval(async () => {
    for (const { Id } of await client.listContainers().catch(() => [])) {
      execFile("podman", ["healthcheck", "run", Id], { env: environment }, () => {})
    }
  }, 2_000)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

it("README.md: the commands of `In containers` work as printed and start the servers", async () => {
  await using _images = await named()
  const folder = workspaceWith({})
  using _health = checkingHealth()
  try {
    const { stdout } = await bash(words, folder)
    assert.match(stdout, /secret/i)
    // compose does not wait until they are ready
    for (const port of [8443, 8445]) while (!(await answers(port))) await setTimeout(200)
  } finally {
    await bash("docker compose down --volumes --remove-orphans", join(folder, "apps/wcs/deploy"))
  }
})
