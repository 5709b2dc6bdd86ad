import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { createCluster, freePort } from "./Cluster.ts"
import { connections, type Engine, inDirectory } from "./Engine.ts"

/** A port that leads to one server or another, like the address of a database service. */
const address = async () => {
  const open = new Set<Socket>()
  let target: number | undefined
  const server = createServer((near) => {
    if (target === undefined) return near.destroy()
    const far = connect({ port: target, host: "127.0.0.1" })
    for (const [socket, other] of [
      [near, far],
      [far, near]
    ] as const) {
      open.add(socket)
      socket.pipe(other)
      socket.on("error", () => other.destroy()).on("close", () => open.delete(socket) && other.destroy())
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  /** Leads new connections elsewhere, and breaks the others. */
  const leadTo = (port: number | undefined) => {
    target = port
    for (const socket of open) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    leadTo,
    close: () => {
      leadTo(undefined)
      server.close()
    }
  }
}

/**
 * Starts a primary with a synchronous standby behind one address. `crash` ends the primary. `restart` promotes the
 * standby, which every acknowledged commit has reached. A pair fails over only once.
 */
export const startPair = async (): Promise<Engine & { readonly standbyUrl: string }> => {
  let standbyUrl = ""
  const engine = await inDirectory(async (home) => {
    const { data, execute, password, start } = await createCluster(home)
    const standby = join(home, "standby")
    await execute("cp", ["-a", data, standby])
    await execute("touch", [join(standby, "standby.signal")])
    const settings = [connections, "fsync=off", "full_page_writes=off"]
    const [primaryPort, standbyPort] = [await freePort(), await freePort()]
    const endPrimary = await start(data, primaryPort, [...settings, "synchronous_standby_names=*"])
    const primary = `host=127.0.0.1 port=${primaryPort} user=postgres password=${password}`
    const endStandby = await start(standby, standbyPort, [...settings, `primary_conninfo=${primary}`])
    const { close, leadTo, port } = await address()
    leadTo(primaryPort)
    standbyUrl = `postgres://postgres:${password}@127.0.0.1:${standbyPort}/postgres`
    let hasPrimary = true
    const crash = async () => {
      leadTo(undefined)
      if (hasPrimary) await endPrimary()
      hasPrimary = false
    }
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      crash,
      restart: async () => {
        await execute("pg_ctl", ["promote", "-D", standby, "-w"])
        leadTo(standbyPort)
      },
      end: async () => {
        await crash()
        await endStandby()
        close()
      }
    }
  })
  return { ...engine, standbyUrl }
}
