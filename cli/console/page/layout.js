// Where nodes stand: the first in the middle, others pushed apart and drawn together by their edges. Pure.

const ROUNDS = 260;
const PUSH = 9000;
const PULL = 0.045;
const LENGTH = 120;
const HOLD = 0.006;
const APART = 46;
const APART_ROUNDS = 40;

// The same each time: `count` places on rings round the middle.
function begin(count) {
  const golden = Math.PI * (3 - Math.sqrt(5));
  return Array.from({ length: count }, (_, at) => ({ x: 34 * Math.sqrt(at) * Math.cos(at * golden), y: 34 * Math.sqrt(at) * Math.sin(at * golden) }));
}

function push(places, forces) {
  for (let a = 0; a < places.length; ++a) {
    for (let b = a + 1; b < places.length; ++b) {
      const x = places[a].x - places[b].x || 0.1;
      const y = places[a].y - places[b].y || 0.1;
      const force = PUSH / (x * x + y * y);
      const distance = Math.hypot(x, y);
      forces[a].x += (x / distance) * force;
      forces[a].y += (y / distance) * force;
      forces[b].x -= (x / distance) * force;
      forces[b].y -= (y / distance) * force;
    }
  }
}

// Whoever has many edges is drawn less by each.
function pull(places, forces, edges, degrees) {
  for (const [a, b] of edges) {
    const x = places[b].x - places[a].x;
    const y = places[b].y - places[a].y;
    const distance = Math.hypot(x, y) || 1;
    const force = (PULL * (distance - LENGTH)) / Math.sqrt(Math.min(degrees[a], degrees[b]));
    forces[a].x += (x / distance) * force;
    forces[a].y += (y / distance) * force;
    forces[b].x -= (x / distance) * force;
    forces[b].y -= (y / distance) * force;
  }
}

// No two stand on each other.
function part(places) {
  for (let round = 0; round < APART_ROUNDS; ++round) {
    for (let a = 0; a < places.length; ++a) {
      for (let b = a + 1; b < places.length; ++b) {
        const x = places[b].x - places[a].x || 0.1;
        const y = places[b].y - places[a].y;
        const distance = Math.hypot(x, y);
        if (distance >= APART) continue;
        const move = (APART - distance) / distance / (a === 0 ? 1 : 2);
        places[b].x += x * move;
        places[b].y += y * move;
        if (a === 0) continue;
        places[a].x -= x * move;
        places[a].y -= y * move;
      }
    }
  }
}

// `edges`: pairs of indices. Gives places {x, y} round 0, the first at 0.
export function placed(count, edges) {
  const places = begin(count);
  const degrees = places.map(() => 0);
  edges.flat().forEach((at) => { degrees[at] += 1; });
  for (let round = 0; round < ROUNDS; ++round) {
    const forces = places.map((place) => ({ x: -place.x * HOLD, y: -place.y * HOLD }));
    push(places, forces);
    pull(places, forces, edges, degrees);
    const most = 24 * (1 - round / ROUNDS) + 1;
    places.forEach((place, at) => {
      if (at === 0) return;
      const length = Math.hypot(forces[at].x, forces[at].y) || 1;
      const step = Math.min(length, most);
      place.x += (forces[at].x / length) * step;
      place.y += (forces[at].y / length) * step;
    });
  }
  part(places);
  return places;
}
