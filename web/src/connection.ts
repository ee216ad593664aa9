// The WebSocket: opens it, opens it again when it is lost, and asks for the next picture when one has been drawn.
import { decodeBinary, decodeText, type Answer, type Frame, type Request, type Topology } from './protocol';

export interface Handlers {
  opened(): void;
  lost(): void;
  answer(answer: Answer): void;
  binary(message: Topology | Frame): void;
  broken(reason: string): void;
}

const firstDelay = 500;
const longestDelay = 5000;

export class Connection {
  private socket: WebSocket | null = null;
  private delay = firstDelay;
  /** A tick has come and has not been drawn yet. */
  private owes = false;

  constructor(private readonly url: string, private readonly handlers: Handlers) {
    this.connect();
  }

  /** Sends a request; returns whether there is a server to take it. */
  send(request: Request): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(request));
    return true;
  }

  /** To be called after each picture: if it used a tick, the server may send another. */
  drawn(): void {
    if (!this.owes) return;
    this.owes = false;
    this.send({ do: 'next' });
  }

  private connect(): void {
    const socket = new WebSocket(this.url);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.delay = firstDelay;
      this.owes = false;
      this.handlers.opened();
      this.send({ do: 'next' });
    };
    socket.onmessage = (event) => this.take(event.data);
    socket.onclose = () => {
      this.handlers.lost();
      setTimeout(() => this.connect(), this.delay);
      this.delay = Math.min(2 * this.delay, longestDelay);
    };
  }

  private take(data: string | ArrayBuffer): void {
    try {
      if (typeof data !== 'string') {
        this.handlers.binary(decodeBinary(data));
        return;
      }
      const answer = decodeText(data);
      if (answer.is === 'tick') this.owes = true;
      this.handlers.answer(answer);
    } catch (error) {
      this.handlers.broken(error instanceof Error ? error.message : String(error));
    }
  }
}
