import { send } from "@wcs/end-to-end/containers/Answers"
import { added, layers } from "@wcs/end-to-end/containers/Images"
import { findContainerEngine } from "@wcs/store-suite/postgres/ContainerEngine"
import { assert, describe, inject, it } from "vitest"

const { base, current, host, next, planted } = inject("containers")
const engine = await findContainerEngine({ DOCKER_HOST: host })
if (engine === undefined) throw new Error(`the container engine at ${host} is gone`)
const { client } = engine

const megabyte = 1_000_000
const sizeMax = 120 * megabyte
const startMillisMax = 1_000

interface Startable {
  readonly image: string
  readonly command?: Array<string>
  /** Whether the server answers at a local port. */
  readonly answers: (port: number) => Promise<boolean>
}

/** Our server on its embedded store. */
const wcs: Startable = {
  image: current,
  answers: async (port) => (await send(port, { path: "/api/users/me" })) === 401
}

/** A minimal server, to measure the time of the engine, Node and this machine. */
const yardstick: Startable = {
  image: base,
  command: ["node", "-e", 'require("node:http").createServer((_, answer) => answer.end()).listen(8443)'],
  answers: (port) =>
    fetch(`http://127.0.0.1:${port}`).then(
      () => true,
      () => false
    )
}

/** A container that can write to memory only. */
const created = async ({ answers, command, image }: Startable) => {
  const container = await client.createContainer({
    Image: image,
    ...(command === undefined ? {} : { Cmd: command }),
    Env: ["WCS_DATA=/tmp/wcs"],
    ExposedPorts: { "8443/tcp": {} },
    HostConfig: {
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      Tmpfs: { "/tmp": "" },
      PortBindings: { "8443/tcp": [{ HostPort: "0" }] }
    }
  })
  return {
    container,
    /** Milliseconds until the first response at its published port, in wall and processor time. */
    start: async () => {
      const begun = performance.now()
      await container.start()
      const { NetworkSettings } = await container.inspect()
      const port = Number(NetworkSettings.Ports["8443/tcp"]?.[0]?.HostPort)
      while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 5))
      const wall = performance.now() - begun
      const { cpu_stats } = await container.stats({ stream: false })
      return { wall, processor: cpu_stats.cpu_usage.total_usage / 1e6 }
    },
    [Symbol.asyncDispose]: () => container.remove({ force: true, v: true })
  }
}

describe("the image", () => {
  it("adds at most 120 MB to its base, nothing outside its own directories, and no secret of the context", async () => {
    const sizeOf = async (image: string) => (await client.getImage(image).inspect()).Size
    const bytes = (await sizeOf(current)) - (await sizeOf(base))
    console.log(`The image adds ${(bytes / megabyte).toFixed(1)} MB to its base.`)
    assert.isAtMost(bytes, sizeMax)
    const strange = (await added(engine, current, base)).filter((path) => !/^(wcs|data)(\/|$)/.test(path))
    assert.deepStrictEqual(strange, [])
    const all = await layers(engine, current)
    assert.isTrue(all.includes("org.opencontainers.image.title"), "control: the search finds a text that is there")
    for (const secret of planted) assert.isFalse(all.includes(secret))
  })

  it("runs as an unprivileged user, reports its health, and has labels", async () => {
    const { Config } = await client.getImage(current).inspect()
    assert.strictEqual(Config.User, "1000:1000")
    await using server = await created(wcs)
    const { Config: inContainer } = await server.container.inspect()
    assert.deepStrictEqual(inContainer.Healthcheck?.Test?.slice(0, 2), ["CMD", "node"])
    const { Config: ofNext } = await client.getImage(next).inspect()
    assert.strictEqual(Config.Labels["org.opencontainers.image.licenses"], "Apache-2.0")
    assert.strictEqual(Config.Labels["org.opencontainers.image.version"], "current")
    assert.strictEqual(ofNext.Labels["org.opencontainers.image.version"], "next")
  })

  it("starts on a read-only file system at most one second later than its base image, and exits on SIGTERM as process 1", async () => {
    const own = { wall: Number.POSITIVE_INFINITY, processor: Number.POSITIVE_INFINITY }
    const ofBase = { ...own }
    const measure = async (best: typeof own, startable: Startable) => {
      await using server = await created(startable)
      const { processor, wall } = await server.start()
      best.wall = Math.min(best.wall, wall)
      best.processor = Math.min(best.processor, processor)
      await server.container.stop({ t: startable === wcs ? 30 : 0 })
      return (await server.container.inspect()).State.ExitCode
    }
    // Wall time means little on a busy machine, so processor time counts there.
    const millis = () => Math.min(own.wall - ofBase.wall, own.processor - ofBase.processor)
    for (let attempt = 0; attempt < 3 || (millis() > startMillisMax && attempt < 10); attempt++) {
      await measure(ofBase, yardstick)
      assert.strictEqual(await measure(own, wcs), 0)
    }
    const told = ({ processor, wall }: typeof own) => `${wall.toFixed(0)} ms, ${processor.toFixed(0)} ms of processors`
    console.log(`Cold start of a container, to its first answer: ${told(own)}. Its base alone: ${told(ofBase)}.`)
    assert.isAtMost(millis(), startMillisMax)
  })

  it("refuses to serve without a data directory, in one sentence", async () => {
    const container = await client.createContainer({ Image: current, HostConfig: { ReadonlyRootfs: true } })
    try {
      await container.start()
      const { StatusCode } = await container.wait()
      const said = (await container.logs({ stdout: true, stderr: true, follow: false })).toString()
      assert.strictEqual(StatusCode, 2)
      assert.match(said, /wcs: [^\n]*\/data[^\n]*\n$/)
    } finally {
      await container.remove({ force: true, v: true })
    }
  })
})
