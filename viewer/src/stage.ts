// The 3D view: camera, lights, and the drawn content of a frame.

import {
  AmbientLight,
  Box3,
  Color,
  DirectionalLight,
  Group,
  type Mesh,
  type Object3D,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Sphere,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

/** To begin with a canvas takes long where no graphics card helps: its renderer stays with it. */
const renderers = new WeakMap<HTMLCanvasElement, WebGLRenderer>();

export class Stage {
  readonly content = new Group();
  private scene = new Scene();
  private camera = new PerspectiveCamera(45, 1, 0.01, 1000);
  private renderer: WebGLRenderer;
  private controls: OrbitControls;
  private waiting = false;
  private ended = false;
  // In a frame of its own: the browser waits there for all that was drawn before.
  private sizes = new ResizeObserver(() => requestAnimationFrame(() => this.resize()));

  constructor(private canvas: HTMLCanvasElement) {
    // The drawing buffer is kept, so that the picture can be saved and tested.
    this.renderer = renderers.get(canvas) ?? new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    renderers.set(canvas, this.renderer);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.draw());
    const key = new DirectionalLight(0xffffff, 2.2);
    key.position.set(0.4, 1, 0.7);
    this.camera.add(key);
    this.scene.add(this.camera, new AmbientLight(0xffffff, 0.9), this.content);
    this.sizes.observe(canvas);
    this.resize();
  }

  /** Ends, and leaves the canvas to another stage. */
  dispose() {
    this.ended = true;
    this.controls.dispose();
    this.sizes.disconnect();
    this.content.traverse((part) => (part as Partial<Mesh>).geometry?.dispose());
  }

  setBackground(color: string) {
    this.scene.background = new Color(color);
    this.draw();
  }

  /** Draws once, in the next animation frame. */
  draw() {
    if (this.waiting || this.ended) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (this.ended) return;
      this.renderer.render(this.scene, this.camera);
    });
  }

  /** Shows the whole box, from the front and a little above. */
  lookAtAll(box: Box3) {
    const ball = box.getBoundingSphere(new Sphere());
    this.lookAt(ball.center, Math.max(ball.radius, 1e-6), new Vector3(0.35, 0.3, 1));
    this.camera.near = Math.max(ball.radius, 1e-6) * 1e-3;
    this.camera.far = Math.max(ball.radius, 1e-6) * 100;
    this.camera.updateProjectionMatrix();
  }

  /** Centres the view on a place. The camera turns only if a direction is given. */
  lookAt(center: Vector3, radius: number, direction?: Vector3) {
    const from = direction ?? this.camera.position.clone().sub(this.controls.target);
    const narrow = Math.min(1, this.camera.aspect);
    const away = radius / Math.sin((this.camera.fov * Math.PI) / 360) / narrow;
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(from.normalize(), away);
    this.controls.update();
    this.draw();
  }

  /** Whether drags turn and pan the camera. */
  setTurning(turns: boolean) {
    this.controls.enableRotate = turns;
    this.controls.enablePan = turns;
    this.controls.enableZoom = turns;
  }

  /** A place in the picture, from -1 to 1 along both axes, so far from the plane of the eye. */
  place(x: number, y: number, away: number): Vector3 {
    this.camera.updateMatrixWorld();
    const onRay = new Vector3(x, y, 0.5).unproject(this.camera);
    const forward = this.camera.getWorldDirection(new Vector3());
    const ray = onRay.sub(this.camera.position).normalize();
    return this.camera.position.clone().addScaledVector(ray, away / ray.dot(forward));
  }

  /** How far what is seen at a place in the picture is from the plane of the eye; if nothing is, how far the middle of the view. */
  distanceTo(x: number, y: number, content: Object3D): { away: number; hit: boolean } {
    this.camera.updateMatrixWorld();
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2(x, y), this.camera);
    const forward = this.camera.getWorldDirection(new Vector3());
    const [hit] = caster.intersectObject(content, true);
    const point = hit ? hit.point : this.controls.target;
    const away = point.clone().sub(this.camera.position).dot(forward);
    return { away, hit: hit !== undefined };
  }

  /** Looks at the same place from the other side. */
  turnAround() {
    const from = this.camera.position.clone().sub(this.controls.target);
    from.x *= -1;
    from.z *= -1;
    this.camera.position.copy(this.controls.target).add(from);
    this.controls.update();
    this.draw();
  }

  private resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0 || this.ended) return;
    const known = this.renderer.getSize(new Vector2());
    if (known.x !== width || known.y !== height) this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }
}
