import com.sun.tools.attach.VirtualMachine;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * For each line on the standard input, what a broker has been asked since its start, as a line
 * {"produce":…,"fetch":…}: requests of clients, whatever they carry. The broker is a process of
 * this machine and this user; it needs no option and opens no port. BrokerRequests.java PID
 */
public final class BrokerRequests {
  /** A series for each version of a request. */
  private static final String NAME =
      "kafka.network:type=RequestMetrics,name=RequestsPerSec,request=%s,*";

  public static void main(String[] arguments) throws Exception {
    VirtualMachine broker = VirtualMachine.attach(arguments[0]);
    JMXServiceURL url = new JMXServiceURL(broker.startLocalManagementAgent());
    broker.detach();
    MBeanServerConnection beans = JMXConnectorFactory.connect(url).getMBeanServerConnection();
    BufferedReader asked = new BufferedReader(new InputStreamReader(System.in));
    while (asked.readLine() != null) {
      System.out.printf(
          "{\"produce\":%d,\"fetch\":%d}%n", count(beans, "Produce"), count(beans, "FetchConsumer"));
    }
    System.exit(0);
  }

  private static long count(MBeanServerConnection beans, String request) throws Exception {
    long sum = 0;
    for (ObjectName name : beans.queryNames(new ObjectName(NAME.formatted(request)), null)) {
      sum += (Long) beans.getAttribute(name, "Count");
    }
    return sum;
  }
}
