"""One episode of OpenEnv: a server in a thread, and a client that tries, submits, is rewarded."""

import threading
import time

import uvicorn

from sandbox.integrations.sessions.openenv import PythonAction, PythonClient, app


def main() -> None:
    server = uvicorn.Server(uvicorn.Config(app(partial=True), port=0, log_level="critical"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        with PythonClient(base_url=f"http://127.0.0.1:{port}").sync() as client:
            client.reset(inputs=["1\n", "41\n"], outputs=["2\n", "42\n"])
            tried = client.step(PythonAction(code="following = lambda n: n + 1\nfollowing(41)"))
            print("tried:", tried.observation.output, end="")
            program = "print(int(input()) + 1)"
            print("reward:", client.step(PythonAction(code=program, submit=True)).reward)
    finally:
        server.should_exit = True
        thread.join()


if __name__ == "__main__":
    main()
