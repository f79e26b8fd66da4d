// The host for UIKit against the suite for hosts, on real controllers. Runs where UIKit is.

#if canImport(UIKit)
  import Millrace
  import MillraceTesting
  import MillraceUIKit
  import Testing
  import UIKit

  @MainActor @Suite struct ConformanceTests {
    // Fault: a command that UIKit does not carry out, or whose end the host does not report.
    @Test func uiKitHost_conforms() async {
      var windows: [UIWindow] = []
      let suite = HostConformance {
        let host = UIKitHost { _ in UIViewController() }
        host.isAnimated = false
        let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 640))
        window.rootViewController = host.container
        window.makeKeyAndVisible()
        windows.append(window)
        return HostConformance.Subject(host, screens: { host.screens })
      }
      let failures = await suite.run()
      #expect(failures.isEmpty, "\(failures)")
    }
  }
#endif
